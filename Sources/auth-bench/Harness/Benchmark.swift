import Guards

/// One row: what is sampled once per round, and what it is held against.
struct Benchmark {
  let name: String
  let unit: Unit
  /// The row of the same suite that the ratio is taken to, by name.
  let baseline: String?
  let goal: Goal?
  let source: Source

  /// Where the samples come from.
  enum Source {
    /// Taken by calling this once per round.
    case measured(() -> Double)
    /// The first row less the second, round by round.
    case difference(String, less: String)
    /// Those of another row, to hold them against a second baseline.
    case same(String)
    /// Not taken, and why.
    case skipped(String)
  }

  /// A row whose work is timed as a whole: a million calls in this process, or one run of another
  /// program.
  ///
  /// `operations` is how many operations one call of `run` does; the figures are per operation.
  /// What `run` needs done before is done by `prepare`, which is not timed.
  init(
    _ name: String, operations: Int = 1, against baseline: String? = nil, goal: Goal? = nil,
    prepare: @escaping () -> Void = {}, _ run: @escaping () -> Void
  ) {
    self.init(name, .nanoseconds, against: baseline, goal: goal) {
      prepare()
      return ContinuousClock().measure(run).nanoseconds / Double(operations)
    }
  }

  /// A row that takes its sample itself.
  init(
    _ name: String, _ unit: Unit, against baseline: String? = nil, goal: Goal? = nil,
    sample: @escaping () -> Double
  ) {
    self.init(name, unit, against: baseline, goal: goal, from: .measured(sample))
  }

  init(_ name: String, _ unit: Unit, against baseline: String? = nil, goal: Goal? = nil, from source: Source) {
    self.name = name
    self.unit = unit
    self.baseline = baseline
    self.goal = goal
    self.source = source
  }

  /// A row that cannot be measured here.
  static func skipped(_ name: String, because reason: String) -> Benchmark {
    Benchmark(name, .nanoseconds, from: .skipped(reason))
  }

  /// The rows that this one is made of or held against.
  var needs: [String] {
    let parts: [String] =
      switch source {
      case .measured, .skipped: []
      case .same(let other): [other]
      case .difference(let whole, let part): [whole, part]
      }
    return parts + [baseline].compactMap { $0 }
  }
}

/// What the samples of a row count.
enum Unit: String {
  case nanoseconds
  case bytes
  case perSecond
  case count
}

/// What a row should come to.
enum Goal {
  /// At most so many times the baseline.
  case ratio(Double)
  /// At least so many times the baseline.
  case ratioAtLeast(Double)
  /// At most so many times the baseline, and the baseline at most so many times this.
  case within(Double)
  /// At most so much, in the unit of the row.
  case atMost(Double)

  static func nanoseconds(_ limit: Double) -> Goal { .atMost(limit) }
}

/// Benchmarks that belong together and share what they are measured on.
struct Suite: Sendable {
  let name: String
  let summary: String
  /// Whether building its rows takes long, so that it is done only when the suite is asked for by
  /// name.
  let isDear: Bool
  /// How many samples to take of each row, when the options ask for `rounds`.
  let rounds: @Sendable (_ options: BenchOptions) -> Int
  /// Builds the rows and the data they need; called only when the suite is wanted.
  let benchmarks: @Sendable (_ options: BenchOptions) throws -> [Benchmark]

  init(
    name: String, summary: String, isDear: Bool = false,
    rounds: @escaping @Sendable (BenchOptions) -> Int = \.rounds,
    benchmarks: @escaping @Sendable (BenchOptions) throws -> [Benchmark]
  ) {
    self.name = name
    self.summary = summary
    self.isDear = isDear
    self.rounds = rounds
    self.benchmarks = benchmarks
  }
}

/// Every suite, in the order of the report.
let allSuites: [Suite] = [
  .gatekeeper,
  .runOnce,
  .leases,
  .machine,
  .renewals,
  .status,
  .otherTools,
  .app,
  .durable,
  .sessionChecks,
  .throughput,
  .server,
  .serverScale,
  .serverRefusals,
  .scale,
  .memory,
  .enumeration,
]
