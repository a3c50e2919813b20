import Guards

/// Every suite, in the order of the report.
let allSuites: [Suite] = [
  .gatekeeper,
  .runOnce,
  .leases,
  .machine,
  .renewals,
  .status,
  .otherTools,
  .durable,
  .sessionChecks,
  .throughput,
  .scale,
  .memory,
  .enumeration,
]
