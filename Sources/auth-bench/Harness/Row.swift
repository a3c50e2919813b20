/// One line of the result: a row's measurement beside its baseline of the same run, judged by its
/// goal.
struct Row {
  let benchmark: Benchmark
  /// Nil when the row was skipped.
  let measurement: Measurement?
  let baseline: Measurement?

  var name: String { benchmark.name }

  /// How many times the baseline it came to, by medians; nil without one, and when the baseline
  /// came to nothing.
  var ratio: Double? {
    guard let measurement, let baseline, baseline.median != 0 else { return nil }
    return measurement.median / baseline.median
  }

  /// The same by the least samples; nil for a difference, whose least sample is an accident.
  var ratioOfMinima: Double? {
    if case .difference = benchmark.source { return nil }
    guard let measurement, let baseline, baseline.minimum != 0 else { return nil }
    return measurement.minimum / baseline.minimum
  }

  /// Whether the goal was met; nil without one.
  var isMet: Bool? {
    switch benchmark.goal {
    case .ratio(let limit): ratio.map { $0 <= limit }
    case .ratioAtLeast(let limit): ratio.map { $0 >= limit }
    case .within(let limit): ratio.map { $0 <= limit && $0 >= 1 / limit }
    case .atMost(let limit): measurement.map { $0.median <= limit }
    case nil: nil
    }
  }

  /// Why there is nothing to show.
  var skipped: String? {
    if case .skipped(let reason) = benchmark.source { reason } else { nil }
  }

  static func rows(of benchmarks: [Benchmark], _ measurements: [Measurement?]) -> [Row] {
    zip(benchmarks, measurements).map { benchmark, measurement in
      let baseline = benchmark.baseline.map { name in
        guard let found = measurements.compactMap({ $0 }).first(where: { $0.name == name }) else {
          preconditionFailure("\"\(benchmark.name)\" is held against \"\(name)\", which is no row of its suite")
        }
        return found
      }
      return Row(benchmark: benchmark, measurement: measurement, baseline: baseline)
    }
  }
}
