import AuthBackend
import TextFormat

/// Values over time, drawn as a line with the block characters of Unicode.
struct Chart: Sendable {
  /// A value and the time from which it is valid.
  typealias Point = (at: WallTime, value: Int64)

  /// The points, the earliest first.
  let points: [Point]
  /// The first and the last time as text.
  let ends: (String, String)

  /// The smallest and the largest value.
  var bounds: (Int64, Int64) {
    let values = points.map(\.value)
    return (values.min() ?? 0, values.max() ?? 0)
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
    var lines = [String](repeating: "", count: height)
    for column in 1...width {
      let end = column == width ? .infinity : start + time * Double(column) / Double(width)
      while index + 1 < points.count, Double(points[index + 1].at.microseconds) <= end {
        index += 1
      }
      var level = 1 + Int((Double(points[index].value - bottom) / range * Double(height * 8 - 1)).rounded())
      for row in lines.indices.reversed() {
        lines[row] += Self.eighths[min(8, max(0, level))]
        level -= 8
      }
    }
    return lines
  }

  private static let eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}

extension Chart {
  /// Creates a chart; nil with fewer than two points.
  init?(_ points: [Point]) {
    guard let first = points.first, let last = points.last, points.count > 1 else { return nil }
    let ends = [first, last].map { UTCTime(seconds: $0.at.seconds).local(.seconds).split(separator: " ") }
    // `2026-01-31 10:30:00`: of one day the times, else the dates.
    let isOneDay = ends[0].first == ends[1].first
    let shown = ends.map { String((isOneDay ? $0.last : $0.first) ?? "") }
    self.init(points: points, ends: (shown[0], shown[1]))
  }
}
