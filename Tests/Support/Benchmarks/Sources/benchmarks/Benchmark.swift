/// One goal: a figure, and the baseline that alternates with it in the same run.
struct Benchmark {
  enum Goal {
    /// At most so many times the baseline.
    case atMost(Double)
    /// At least so many times the baseline.
    case atLeast(Double)
    /// At most so many times the baseline, and the baseline at most so many times this.
    case within(Double)
    /// At most so much, without a baseline.
    case limit(Double)
    /// At least so much, without a baseline.
    case least(Double)
  }

  /// What a sample counts.
  enum Unit: String {
    case nanoseconds = "ns"
    case milliseconds = "ms"
    case kibibytes = "KiB"
    case mebibytes = "MiB"
    case perSecond = "/s"
    case count = ""
  }

  let name: String
  let unit: Unit
  let goal: Goal
  let samples: Int
  let measure: () throws -> Double
  let baseline: (name: String, measure: () throws -> Double)?

  init(
    _ name: String, _ unit: Unit, _ goal: Goal, samples: Int, against baseline: String = "",
    _ measure: @escaping () throws -> Double, baseline measureBaseline: (() throws -> Double)? = nil
  ) {
    self.name = name
    self.unit = unit
    self.goal = goal
    self.samples = samples
    self.measure = measure
    self.baseline = measureBaseline.map { (baseline, $0) }
  }

  /// The line of the report, and whether the goal was met.
  func run(quick: Bool) throws -> (line: String, isMet: Bool) {
    var own: [Double] = []
    var others: [Double] = []
    let count = quick ? max(5, samples / 10) : samples
    // The first pair warms up.
    for number in 0...count {
      let sample = try measure()
      let other = try baseline?.measure()
      if number == 0 { continue }
      own.append(sample)
      if let other { others.append(other) }
    }
    let median = Self.quantile(own, 0.5)
    let spread = median == 0 ? 0 : (Self.quantile(own, 0.75) - Self.quantile(own, 0.25)) / 2 / median
    let figure = "\(Self.text(median)) \(unit.rawValue) ± \(Self.text(spread * 100)) %"
    guard let baseline else { return line(figure, judged: median) }
    let ratio = median / Self.quantile(others, 0.5)
    return line("\(Self.text(ratio)) × \(baseline.name), \(figure)", judged: ratio)
  }

  private func line(_ figure: String, judged value: Double) -> (line: String, isMet: Bool) {
    let (isMet, goalText) =
      switch goal {
      case .atMost(let limit): (value <= limit, "≤ \(Self.text(limit)) ×")
      case .atLeast(let limit): (value >= limit, "≥ \(Self.text(limit)) ×")
      case .within(let limit): (value <= limit && value >= 1 / limit, "within \(Self.text(limit)) ×")
      case .limit(let limit): (value <= limit, "≤ \(Self.text(limit)) \(unit.rawValue)")
      case .least(let limit): (value >= limit, "≥ \(Self.text(limit)) \(unit.rawValue)")
      }
    return ("  \(isMet ? "met   " : "MISSED") \(name): \(figure), goal \(goalText)", isMet)
  }

  /// The sample below which the part `position` of all samples lies, interpolated.
  private static func quantile(_ samples: [Double], _ position: Double) -> Double {
    let sorted = samples.sorted()
    let place = position * Double(sorted.count - 1)
    let lower = Int(place)
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
  }

  /// With two decimals below 100.
  private static func text(_ value: Double) -> String {
    let scale = value.magnitude < 100 ? 100.0 : 1
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

/// Why a group or a row cannot be measured here.
struct Skip: Error { let reason: String }

/// A measured program that did not do its work, or a call of the system that failed.
struct Failure: Error { let reason: String }

extension Duration {
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
  var milliseconds: Double { nanoseconds / 1e6 }
}
