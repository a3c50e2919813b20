import AuthAccounts
import TextFormat

/// Values over time, drawn as a line with the dots of Braille characters.
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

  /// The line in rows from the top, in cells of two by four dots: the largest value is at the top,
  /// and the smallest at the bottom.
  ///
  /// Each column of dots is a span of time, all of the same length, and shows the value at its end.
  func lines(width: Int, height: Int) -> [String] {
    guard !points.isEmpty, width > 0, height > 0 else { return [] }
    var cells = [[UInt32]](repeating: [UInt32](repeating: 0, count: width), count: height)
    var last: Int?
    for (column, level) in levels(columns: width * 2, height: height * 4).enumerated() {
      // A change is a line from the level before.
      for dot in min(level, last ?? level)...max(level, last ?? level) {
        let row = height * 4 - 1 - dot
        cells[row / 4][column / 2] |= Self.dots[column % 2][row % 4]
      }
      last = level
    }
    return cells.map { row in
      String(String.UnicodeScalarView(row.map { $0 == 0 ? " " : Unicode.Scalar(0x2800 + $0) ?? " " }))
    }
  }

  /// The line in one row, between the first and the last value.
  func sparkline(width: Int) -> String {
    let amounts = [points.first, points.last].map { Amount.text($0?.value ?? 0) }
    let room = max(1, width - amounts[0].utf8.count - amounts[1].utf8.count - 2)
    let signs = levels(columns: room, height: 8).map { Self.eighths[$0] }
    return "\(amounts[0]) \(signs.joined()) \(amounts[1])"
  }

  /// The values at the ends of as many spans of time, from 0 for the smallest to one less than
  /// `height`.
  private func levels(columns: Int, height: Int) -> [Int] {
    guard let first = points.first, let last = points.last, columns > 0 else { return [] }
    let (bottom, top) = bounds
    let range = Double(max(1, top - bottom))
    let start = Double(first.at.microseconds)
    let time = Double(last.at.microseconds) - start
    var index = 0
    return (1...columns).map { column in
      let end = column == columns ? .infinity : start + time * Double(column) / Double(columns)
      while index + 1 < points.count, Double(points[index + 1].at.microseconds) <= end { index += 1 }
      return Int((Double(points[index].value - bottom) / range * Double(height - 1)).rounded())
    }
  }

  /// The bits of the dots of a Braille character (Unicode, U+2800): both columns from the top.
  private static let dots: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
  private static let eighths = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
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
