/// One row: a piece of work that is timed as a whole, and what it is held against.
///
/// The work may be a million calls in this process or one run of another process; only ``operations`` differs.
struct Benchmark {
  let name: String
  /// How many operations one call of ``run`` does; the figures are per operation.
  let operations: Int
  /// The row of the same suite that the ratio is taken to, by name.
  let baseline: String?
  let goal: Goal?
  let run: () -> Void

  init(
    _ name: String, operations: Int, against baseline: String? = nil, goal: Goal? = nil, _ run: @escaping () -> Void
  ) {
    self.name = name
    self.operations = operations
    self.baseline = baseline
    self.goal = goal
    self.run = run
  }
}

/// What a row should not exceed.
enum Goal {
  /// So many times the baseline.
  case ratio(Double)
  /// So many nanoseconds per operation.
  case nanoseconds(Double)
}

/// Benchmarks that belong together and share what they are measured on.
struct Suite: Sendable {
  let name: String
  let summary: String
  /// Builds the rows and the data they need; called only when the suite is wanted.
  let benchmarks: @Sendable () -> [Benchmark]
}
