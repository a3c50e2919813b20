/// Rows in columns, aligned by what a terminal shows.
package struct Table: Hashable, Sendable {
  /// On which side of its column text stands.
  package enum Alignment: Hashable, Sendable { case left, right }

  /// A column.
  package struct Column: Hashable, Sendable {
    package let title: String
    package var alignment = Alignment.left
    /// Whether it is shortened before others: what is in it is for programs rather than people.
    package var yields = false

    package init(title: String, alignment: Alignment = .left, yields: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.yields = yields
    }
  }

  package let columns: [Column]
  package private(set) var rows: [[String]] = []

  package init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row.
  ///
  /// Cells are escaped here; a missing one is empty.
  package mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { $0 < cells.count ? TextEscaping.escape(cells[$0]) : "" })
  }

  /// The lines, the titles first.
  ///
  /// They stay within `width` columns, by shortening those that yield and then the widest; nil is for a file or a pipe, where nothing is shortened.
  package func lines(width: Int?) -> [String] {
    let table = [columns.map(\.title)] + rows
    var widths = columns.indices.map { column in table.map { DisplayWidth.columns($0[column]) }.max() ?? 0 }
    if let width { shrink(&widths, to: width) }
    return table.map { row in
      let cells = columns.indices.map { column in
        let text = DisplayWidth.truncate(row[column], to: widths[column])
        let space = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(text)))
        return columns[column].alignment == .left ? text + space : space + text
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Takes columns from the widest, as long as it stays readable.
  private func shrink(_ widths: inout [Int], to width: Int) {
    let readable = 8
    func isTooWide() -> Bool { widths.reduce(0, +) + 2 * (widths.count - 1) > width }
    for index in columns.indices where columns[index].yields {
      while isTooWide(), widths[index] > readable { widths[index] -= 1 }
    }
    while isTooWide() {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > readable else { return }
      widths[widest] -= 1
    }
  }
}
