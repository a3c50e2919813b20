import CommandLineKit
import TextFormat

/// Rows in columns for a screen: a line for each, so what does not fit is cut off, from the widest
/// column first.
struct AppColumns {
  private let columns: [Table.Column]
  private let widths: [Int]

  init(_ columns: [Table.Column], _ rows: [[String]], width: Int) {
    let count = rows.map(\.count).max() ?? 0
    let columns = columns.isEmpty ? Array(repeating: Table.Column(title: ""), count: count) : columns
    var widths = columns.indices.map { column in
      rows.reduce(DisplayWidth.columns(columns[column].heading)) { widest, cells in
        max(widest, column < cells.count ? DisplayWidth.columns(TextEscaping.escape(cells[column])) : 0)
      }
    }
    let readable = 8
    while widths.reduce(2 * (widths.count - 1), +) > width,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > readable
    {
      widths[widest] -= 1
    }
    self.columns = columns
    self.widths = widths
  }

  /// The titles.
  var heading: String { line(columns.map(\.heading)) }

  func line(_ cells: [String]) -> String {
    columns.indices.map { column in
      let text = DisplayWidth.truncate(
        column < cells.count ? TextEscaping.escape(cells[column]) : "", to: widths[column])
      let space = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(text)))
      return columns[column].alignment == .left ? text + space : space + text
    }.joined(separator: "  ")
  }
}
