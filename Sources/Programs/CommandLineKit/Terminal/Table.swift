package import TextFormat

/// Rows and columns, aligned by their width on a terminal.
package struct Table: Hashable, Sendable {
  /// The side of the column on which text is aligned.
  package enum Alignment: Hashable, Sendable { case left, right }

  package struct Column: Hashable, Sendable {
    package let title: String
    package var alignment = Alignment.left
    /// The unit of the values, such as the zone of times.
    package var unit: String?
    /// Whether the start of a value is useful alone, so that a screen may cut off the rest.
    package var mayBeCut = false
    /// Whether a terminal that is too narrow for all columns leaves this one out.
    package var isExtra = false

    /// The same column as one that a narrow terminal leaves out.
    package var extra: Column {
      var column = self
      column.isExtra = true
      return column
    }

    /// A column whose text is on its right, for numbers and times that are left.
    package static func right(_ title: String) -> Column { Column(title: title, alignment: .right) }

    /// A column of text that a screen may cut off.
    package static func cut(_ title: String) -> Column { Column(title: title, mayBeCut: true) }

    package var heading: String { unit.map { "\(title) (\($0))" } ?? title }

    /// A value with its title, for use in a sentence.
    package func description(of value: String) -> String {
      [title.lowercased(), value, unit ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  package let columns: [Column]
  package let rows: [[String]]

  /// Creates a table; this escapes the cells, and a missing cell is empty.
  package init(_ columns: [Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows.map { cells in
      columns.indices.map { $0 < cells.count ? TextEscaping.escape(cells[$0]) : "" }
    }
  }

  /// The same table with its columns in this order, without unknown titles.
  package func ordered(_ titles: [String]) -> Table {
    let order = titles.flatMap { title in columns.indices.filter { columns[$0].title == title } }
    return Table(order.map { columns[$0] }, rows: rows.map { row in order.map { row[$0] } })
  }

  /// The lines, with the titles first.
  ///
  /// Nothing is cut off. If a line would be wider than `width`, extra columns are left out. If it
  /// is still too wide, long cells continue on the next lines of their column. If that leaves
  /// columns too narrow to read, the last column moves below each row. On a very narrow terminal
  /// each row becomes a paragraph in which every value is next to its title. Nil is for a file or a
  /// pipe.
  package func lines(width: Int?) -> [String] {
    let natural = columns.indices.map { column in
      ([columns[column].heading] + rows.map { $0[column] }).map(DisplayWidth.columns).max() ?? 0
    }
    guard let width else { return lines(natural, .max) }
    if Self.total(natural) > width, columns.contains(where: \.isExtra) {
      return ordered(columns.filter { !$0.isExtra }.map(\.title)).lines(width: width)
    }
    for (readable, isLastBelow) in [(16, false), (8, true), (8, false)] {
      if isLastBelow, columns.last?.mayBeCut != true { continue }
      let widths = fitted(isLastBelow ? natural.dropLast() : natural, readable, width)
      if let widths { return lines(widths, width) }
    }
    return rows.flatMap { paragraph($0, width: width) }
  }

  /// The widths of columns that fit together, narrowing the widest text first; nil if they do not
  /// fit.
  private func fitted(_ natural: [Int], _ readable: Int, _ width: Int) -> [Int]? {
    var widths = natural
    while Self.total(widths) > width {
      let narrowed = widths.indices.filter { columns[$0].mayBeCut && widths[$0] > readable }
      guard let widest = narrowed.max(by: { widths[$0] < widths[$1] }) else { return nil }
      widths[widest] -= 1
    }
    return widths
  }

  /// The width of a line with columns of these widths.
  package static func total(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) }

  /// The lines in columns of these widths; a cell without a column is below its row.
  private func lines(_ widths: [Int], _ width: Int) -> [String] {
    ([columns.map(\.heading)] + rows).flatMap { row in
      let cells = zip(row, widths).map { DisplayWidth.split($0, to: $1, indent: "") }
      var lines = (0..<(cells.map(\.count).max() ?? 0)).map { number in
        var line = ""
        for (column, cell) in cells.enumerated() {
          let text = number < cell.count ? cell[number] : ""
          let space = String(repeating: " ", count: widths[column] - DisplayWidth.columns(text))
          line += (column > 0 ? "  " : "") + (columns[column].alignment == .left ? text + space : space + text)
        }
        while line.last == " " { line.removeLast() }
        return line
      }
      for text in row.dropFirst(widths.count) where !text.isEmpty {
        lines += DisplayWidth.split("  " + text, to: width, indent: "    ")
      }
      return lines
    }
  }

  /// A row in as few lines as possible; lines after the first are indented.
  private func paragraph(_ row: [String], width: Int) -> [String] {
    var lines: [String] = []
    for (column, text) in zip(columns, row) where !text.isEmpty {
      let value = column.description(of: text)
      if let last = lines.last, DisplayWidth.columns(last) + 2 + DisplayWidth.columns(value) <= width {
        lines[lines.count - 1] += "  " + value
      } else {
        lines += DisplayWidth.split((lines.isEmpty ? "" : "  ") + value, to: width, indent: "    ")
      }
    }
    return lines
  }
}

extension Table.Column: ExpressibleByStringLiteral {
  /// A column of short text.
  package init(stringLiteral title: String) { self.init(title: title) }
}

/// The local times of a table, with their zone: in the title if all have the same one, otherwise in
/// each cell.
///
/// A zone with daylight saving time has two names in a year.
package struct LocalTimes {
  /// The zone of all times; nil if they differ.
  package let zone: String?

  /// Reads all times that the table will show, in seconds since 1970.
  package init(_ seconds: [Int64]) {
    let zones = Set(seconds.map { UTCTime(seconds: $0).local(.zone) })
    zone = zones.count == 1 ? zones.first : nil
  }

  /// A column of these times.
  package func column(_ title: String) -> Table.Column { Table.Column(title: title, unit: zone) }

  /// A cell of such a column.
  package func cell(_ seconds: Int64, _ form: UTCTime.LocalForm) -> String {
    let time = UTCTime(seconds: seconds)
    return zone == nil ? "\(time.local(form)) \(time.local(.zone))" : time.local(form)
  }
}
