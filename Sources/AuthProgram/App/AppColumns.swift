import CommandLineKit
import TextFormat

/// Rows in columns for a screen: a line for each, so what does not fit is cut off, from the widest
/// column first.
struct AppColumns {
  private let columns: [Table.Column]
  private let widths: [Int]

  /// Fits columns, whose cells are up to ``naturalWidths(_:_:)`` wide, into a width.
  init(_ columns: [Table.Column], naturalWidths: [Int], width: Int) {
    var widths = naturalWidths
    let readable = 8
    while Self.total(widths) > width, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > readable
    {
      widths[widest] -= 1
    }
    self.columns = columns.isEmpty ? widths.map { _ in Table.Column(title: "") } : columns
    self.widths = widths
  }

  /// How wide the columns are where nothing is cut off.
  static func naturalWidths(_ columns: [Table.Column], _ rows: [[String]]) -> [Int] {
    var widths = columns.map { DisplayWidth.columns($0.heading) }
    for cells in rows {
      while widths.count < cells.count { widths.append(0) }
      for (column, cell) in cells.enumerated() {
        widths[column] = max(widths[column], DisplayWidth.columns(TextEscaping.escape(cell)))
      }
    }
    return widths
  }

  /// How wide a line of such columns is.
  static func total(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) }

  /// The titles.
  var heading: String { line(columns.map(\.heading), showsEnds: false) }

  func line(_ cells: [String]) -> String { line(cells, showsEnds: true) }

  /// Of a time that is cut off the end may show, which tells rows of the same day apart.
  private func line(_ cells: [String], showsEnds: Bool) -> String {
    widths.indices.map { column in
      let cell = column < cells.count ? TextEscaping.escape(cells[column]) : ""
      let width = widths[column]
      let text =
        showsEnds && columns[column].unit != nil && cell.utf8.count > width
        ? "…" + cell.suffix(max(0, width - 1)) : DisplayWidth.truncate(cell, to: width)
      let space = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(text)))
      return columns[column].alignment == .left ? text + space : space + text
    }.joined(separator: "  ")
  }
}
