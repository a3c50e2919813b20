/// Every suite, in the order of the report.
let allSuites: [Suite] = [
  .gatekeeper,
  .runOnce,
<<<<<<< HEAD
  .leases,
  .machine,
=======
  .machine,
  .keys,
  .status,
  .durable,
  .sessionChecks,
  .throughput,
  .scale,
  .memory,
  .enumeration,
>>>>>>> 997a8db879efe077ffdd435ac8f2465a35836d64
]
