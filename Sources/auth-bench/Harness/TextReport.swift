/// The result for people: a table, and a bar per row as long as its figure beside the largest of
/// the suite.
struct TextReport {
  static let barWidth = 24

  static func render(_ suite: Suite, _ rows: [Row]) -> String {
    let nameWidth = rows.map(\.name.count).max() ?? 0
    var lines = ["\(suite.name): \(suite.summary)"]
    for row in rows {
      let name = "  " + padded(row.name, to: nameWidth)
      guard let measurement = row.measurement else {
        lines.append("\(name)   skipped: \(row.skipped ?? "")")
        continue
      }
      let unit = row.benchmark.unit
      let largest = rows.filter { $0.benchmark.unit == unit }.compactMap(\.measurement?.median).max() ?? 0
      let bar = largest > 0 ? Int((measurement.median / largest * Double(barWidth)).rounded()) : 0
      lines.append(
        [
          name, padded(amount(measurement.median, unit), to: 10, left: true),
          padded("±" + fixed(measurement.spread * 100, places: 0) + "%", to: 5, left: true),
          padded(row.ratio.map { fixed($0, places: 2) + "×" } ?? "", to: 9, left: true),
          padded(row.ratioOfMinima.map { "(min " + fixed($0, places: 2) + "×)" } ?? "", to: 13),
          padded(verdict(row), to: 17), String(repeating: "█", count: max(bar, 1)),
        ].joined(separator: " "))
      if let baseline = row.baseline { lines.append("    against \(baseline.name)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many goals there were, and which were missed.
  static func summary(_ results: [(suite: Suite, rows: [Row])]) -> String {
    let judged = results.flatMap { suite, rows in rows.filter { $0.isMet != nil }.map { (suite, $0) } }
    let missed = judged.filter { $0.1.isMet == false }.map { "\($0.name): \($1.name)" }
    let skipped = results.flatMap(\.rows).count { $0.skipped != nil }
    return
      (["\(judged.count - missed.count) of \(judged.count) goals met, \(skipped) rows skipped"]
      + missed.map { "  missed: \($0)" }).joined(separator: "\n")
  }

  static func verdict(_ row: Row) -> String {
    guard let goal = row.benchmark.goal, let isMet = row.isMet else { return "" }
    let limit =
      switch goal {
      case .ratio(let limit): "≤ " + fixed(limit, places: 2) + "×"
      case .ratioAtLeast(let limit): "≥ " + fixed(limit, places: 2) + "×"
      case .within(let limit): "= ×÷ " + fixed(limit, places: 2)
      case .atMost(let limit): "≤ " + amount(limit, row.benchmark.unit)
      }
    return (isMet ? "met " : "MISSED ") + limit
  }

  static func amount(_ value: Double, _ unit: Unit) -> String {
    switch unit {
    case .nanoseconds: time(value)
    case .bytes:
      value.magnitude < 1024
        ? fixed(value, places: 0) + " B"
        : value.magnitude < 1_048_576
          ? fixed(value / 1024, places: 1) + " KiB" : fixed(value / 1_048_576, places: 2) + " MiB"
    case .perSecond: fixed(value, places: 0) + " /s"
    case .count: fixed(value, places: 0)
    }
  }

  /// A time in the unit that leaves one to four digits before the point.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e4: fixed(nanoseconds, places: 1) + " ns"
    case ..<1e7: fixed(nanoseconds / 1e3, places: 1) + " µs"
    default: fixed(nanoseconds / 1e6, places: 1) + " ms"
    }
  }

  static func fixed(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { product, _ in product * 10 }
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
  }

  static func padded(_ text: String, to width: Int, left: Bool = false) -> String {
    let blank = String(repeating: " ", count: max(0, width - text.count))
    return left ? blank + text : text + blank
  }
}
