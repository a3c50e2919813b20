/// Every suite, in the order of the report.
let allSuites: [Suite] = [
  .gatekeeper,
  .runOnce,
  .machine,
  .keys,
  .status,
  .durable,
  .sessionChecks,
  .throughput,
  .scale,
  .memory,
  .enumeration,
]
