import AuthBackend
import TextFormat

/// Values over time, drawn as a line with the block characters of Unicode.
final class Chart: Sendable {
  /// From a moment on, a value.
  struct Point: Sendable {
    let at: WallTime
    let value: Int64
  }

  /// The earliest first.
  private let points: [Point]
  /// The first and the last moment in words.
  let ends: (String, String)

  init(_ points: [Point], ends: (String, String)) {
    (self.points, self.ends) = (points, ends)
  }

  /// None where there is nothing that could change over time.
  convenience init?(_ points: [Point]) {
    guard points.count > 1 else { return nil }
    let moments = [points.first, points.last].map { point in
      point.map { UTCTime(seconds: $0.at.seconds).local(.seconds) } ?? ""
    }
    // `2026-01-31 10:30:00`: of one day the times, else the dates.
    let isOneDay = moments[0].prefix(10) == moments[1].prefix(10)
    self.init(points, ends: (Self.part(moments[0], isOneDay), Self.part(moments[1], isOneDay)))
  }

  private static func part(_ moment: String, _ isTime: Bool) -> String {
    String(isTime ? moment.dropFirst(11) : moment.prefix(10))
  }

  /// The smallest and the largest value.
  var bounds: (Int64, Int64) {
    var (least, most) = (points.first?.value ?? 0, points.first?.value ?? 0)
    for point in points { (least, most) = (min(least, point.value), max(most, point.value)) }
    return (least, most)
  }

  /// The values in rows from the top: the largest fills its column, and the smallest is an eighth
  /// of a row high.
  ///
  /// Each column is a span of time, all of the same length, and shows the value at its end.
  func lines(width: Int, height: Int) -> [String] {
    guard let first = points.first, let last = points.last, width > 0, height > 0 else { return [] }
    let (bottom, top) = bounds
    let range = Double(max(1, top - bottom))
    let start = Double(first.at.microseconds)
    let time = Double(last.at.microseconds) - start
    var index = 0
    let levels = (1...width).map { column in
      let end = column == width ? .infinity : start + time * Double(column) / Double(width)
      while index + 1 < points.count, Double(points[index + 1].at.microseconds) <= end {
        index += 1
      }
      return 1 + Int((Double(points[index].value - bottom) / range * Double(height * 8 - 1)).rounded())
    }
    return (0..<height).reversed().map { row in
      String(levels.map { Self.eighths[min(8, max(0, $0 - row * 8))] })
    }
  }

  private static let eighths: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}
