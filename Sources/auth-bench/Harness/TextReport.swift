/// The result for people: a table, and a bar per row as long as its cost beside the dearest of the suite.
struct TextReport {
  static let barWidth = 24

  static func render(_ suite: Suite, _ rows: [Row]) -> String {
    let nameWidth = rows.map(\.measurement.name.count).max() ?? 0
    let dearest = rows.map(\.measurement.median).max() ?? 0
    var lines = ["\(suite.name): \(suite.summary)"]
    for row in rows {
      let measurement = row.measurement
      let bar = dearest > 0 ? Int((measurement.median / dearest * Double(barWidth)).rounded()) : 0
      lines.append(
        [
          "  " + padded(measurement.name, to: nameWidth),
          padded(time(measurement.median), to: 9, left: true),
          padded("±" + fixed(measurement.spread * 100, places: 0) + "%", to: 5, left: true),
          padded(row.ratio.map { fixed($0, places: 2) + "×" } ?? "", to: 9, left: true),
          padded(verdict(row), to: 17),
          String(repeating: "█", count: max(bar, 1)),
        ].joined(separator: " "))
      if let baseline = row.baseline { lines.append("    against \(baseline.name)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func verdict(_ row: Row) -> String {
    guard let goal = row.goal, let isMet = row.isMet else { return "" }
    let limit =
      switch goal {
      case .ratio(let limit): fixed(limit, places: 1) + "×"
      case .nanoseconds(let limit): time(limit)
      }
    return (isMet ? "met " : "MISSED ") + "≤ " + limit
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
