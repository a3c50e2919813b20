import CommandLineKit
import TextFormat

/// Fits rows into columns of a screen, one line for each row.
///
/// If there is no room, times lose their year, long text loses its end, and the last columns are
/// left out; ``rest(of:thisYear:)`` has what a line does not show.
struct AppColumns {
  private let columns: [Table.Column]
  /// The widths of the columns that show, which are the first ones.
  private let widths: [Int]
  private let width: Int
  /// Whether every line shows all of its cells, except for the years of times.
  let isWhole: Bool

  /// Fits columns, whose cells are up to ``naturalWidths(_:_:)`` wide, into a width.
  init(_ columns: [Table.Column], naturalWidths: [Int], width: Int) {
    let untitled = repeatElement("" as Table.Column, count: max(0, naturalWidths.count - columns.count))
    let columns = columns + untitled
    let least = zip(columns, naturalWidths).map { column, natural in
      column.unit != nil ? natural - Self.year : column.mayBeCut ? min(natural, Self.readable) : natural
    }
    var widths = least
    while widths.count > 2, Table.total(widths) > width { widths.removeLast() }
    widths = Array(naturalWidths.prefix(widths.count))
    for index in widths.indices where columns[index].unit != nil && Table.total(widths) > width {
      widths[index] = least[index]
    }
    // First cut columns to the least readable width; if that is not enough, cut them further.
    for most in [Int.max, Self.timeOfDay] {
      while Table.total(widths) > width {
        let wide = widths.indices.filter { widths[$0] > min(least[$0], most) }
        // Among the widest columns, cut the last one.
        guard let widest = wide.max(by: { (widths[$0], $0) < (widths[$1], $1) }) else { break }
        widths[widest] -= 1
      }
    }
    (self.columns, self.widths, self.width) = (columns, widths, width)
    isWhole = naturalWidths.indices.allSatisfy { index in
      index < widths.count && (columns[index].unit != nil || widths[index] == naturalWidths[index])
    }
  }

  /// The least width of a value whose start is useful alone.
  private static let readable = 12
  /// The length of the year in `2026-01-31 10:30`.
  private static let year = 5
  /// The length of `2026-01-31 `.
  private static let date = 11
  /// The length of `10:30`.
  private static let timeOfDay = 5

  /// The widths at which no cell is cut off.
  ///
  /// A row of one cell spans them all.
  static func naturalWidths(_ columns: [Table.Column], _ rows: [AppRow]) -> [Int] {
    rows.reduce(into: columns.map { DisplayWidth.columns($0.heading) }) { widths, row in
      guard row.cells.count > 1 || columns.isEmpty else { return }
      for (column, cell) in row.cells.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], DisplayWidth.columns(cell.escaped))
      }
    }
  }

  /// The line with the titles of the columns.
  var heading: String {
    line(
      zip(columns, widths).map { column, width in
        let fits = DisplayWidth.columns(column.heading) <= width
        return fits ? column.heading : DisplayWidth.truncate(column.title, to: width)
      })
  }

  func line(_ cells: [String]) -> String {
    if cells.count == 1 { return DisplayWidth.truncate(TextEscaping.escape(cells[0]), to: width) }
    return widths.enumerated().map { column, width in
      let text = column < cells.count ? fitted(TextEscaping.escape(cells[column]), column) : ""
      let space = String(repeating: " ", count: max(0, width - DisplayWidth.columns(text)))
      return columns[column].alignment == .left ? text + space : space + text
    }.joined(separator: "  ")
  }

  /// The cells that the line does not show in full, with their titles; times come last, and only
  /// those of another year than `thisYear`.
  func rest(of cells: [String], thisYear: String) -> [String] {
    guard cells.count > 1 else { return [] }
    var (texts, times): ([String], [String]) = ([], [])
    for (column, cell) in cells.enumerated() where !cell.isEmpty {
      let cell = TextEscaping.escape(cell)
      if column < widths.count, fitted(cell, column) == cell { continue }
      let text = columns[column].description(of: cell)
      if columns[column].unit == nil { texts.append(text) } else if !cell.hasPrefix(thisYear) { times.append(text) }
    }
    return texts + times
  }

  /// A time without its year or date if there is no room; other text with its end cut off.
  private func fitted(_ cell: String, _ column: Int) -> String {
    if columns[column].unit != nil {
      for count in [0, Self.year, Self.date] where cell.utf8.count - count <= widths[column] {
        return String(cell.dropFirst(count))
      }
    }
    return DisplayWidth.truncate(cell, to: widths[column])
  }
}
