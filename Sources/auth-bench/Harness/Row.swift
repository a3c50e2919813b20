/// One line of the result: a measurement beside its baseline of the same run, judged by its goal.
struct Row {
  let measurement: Measurement
  let baseline: Measurement?
  let goal: Goal?

  /// How many times the baseline it cost; nil without one.
  var ratio: Double? { baseline.map { measurement.median / $0.median } }

  /// Whether the goal was met; nil without one.
  var isMet: Bool? {
    switch goal {
    case .ratio(let limit): ratio.map { $0 <= limit }
    case .nanoseconds(let limit): measurement.median <= limit
    case nil: nil
    }
  }

  static func rows(of benchmarks: [Benchmark], _ measurements: [Measurement]) -> [Row] {
    zip(benchmarks, measurements).map { benchmark, measurement in
      let baseline = benchmark.baseline.map { name in
        guard let found = measurements.first(where: { $0.name == name }) else {
          preconditionFailure("\"\(benchmark.name)\" is held against \"\(name)\", which is no row of its suite")
        }
        return found
      }
      return Row(measurement: measurement, baseline: baseline, goal: benchmark.goal)
    }
  }
}
