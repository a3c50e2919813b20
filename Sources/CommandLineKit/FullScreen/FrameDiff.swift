/// Makes the bytes that turn what a terminal shows into another frame.
///
/// They are ECMA-48 as every terminal of today has it, inside a synchronized update (DEC mode
/// 2026), which terminals show whole and others ignore. They begin and end with plain style, and
/// rely on automatic wrapping being off.
package enum FrameDiff {
  /// - Parameters:
  ///   - old: What the terminal shows; nil where that is not known, and everything is drawn.
  ///   - new: What it is to show.
  ///   - colors: Whether it may use colour.
  /// - Returns: The bytes; none where nothing changes.
  package static func bytes(from old: Frame?, to new: Frame, colors: Bool) -> [UInt8] {
    if old == new { return [] }
    var writer = Writer(colors: colors, columns: new.columns)
    writer.add("\u{1B}[?2026h")
    let before: Frame
    if let old, old.columns == new.columns, old.rows == new.rows {
      before = old
      if old.cursor != nil, old.cells != new.cells { writer.add("\u{1B}[?25l") }
    } else {
      before = Frame(columns: new.columns, rows: new.rows)
      writer.add("\u{1B}[?25l\u{1B}[m\u{1B}[2J")
    }
    for row in 0..<new.rows { writer.turn(before, into: new, row) }
    writer.style(.plain)
    if let cursor = new.cursor {
      writer.move(to: cursor.row, cursor.column)
      writer.add("\u{1B}[?25h")
    } else if old?.cursor != nil, old?.cells == new.cells {
      writer.add("\u{1B}[?25l")
    }
    writer.add("\u{1B}[?2026l")
    return writer.bytes
  }
}

private struct Writer {
  private(set) var bytes: [UInt8] = []
  private let colors: Bool
  private let columns: Int
  /// Where the terminal's cursor is; nil where that is not certain.
  private var position: Frame.Position?
  private var current = CellStyle.plain

  init(colors: Bool, columns: Int) {
    self.colors = colors
    self.columns = columns
  }

  mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func style(_ style: CellStyle) {
    let (from, to) = (current.parameters(colors: colors), style.parameters(colors: colors))
    current = style
    guard from != to else { return }
    add(to.isEmpty || from.isEmpty ? "\u{1B}[" : "\u{1B}[0;")
    add(to)
    add("m")
  }

  mutating func move(to row: Int, _ column: Int) {
    defer { position = Frame.Position(row: row, column: column) }
    if let position, position.row == row, position.column <= column, position.column < columns {
      let gap = column - position.column
      guard gap > 0 else { return }
      add("\u{1B}[")
      if gap > 1 { add(String(gap)) }
      add("C")
    } else {
      add("\u{1B}[")
      add(String(row + 1))
      if column > 0 {
        add(";")
        add(String(column + 1))
      }
      add("H")
    }
  }

  mutating func turn(_ old: Frame, into new: Frame, _ row: Int) {
    var column = 0
    while column < new.columns, new[row, column] == old[row, column] { column += 1 }
    var end = new.columns
    while end > column, new[row, end - 1] == .blank { end -= 1 }
    var drawsRest = false
    while column < new.columns {
      let cell = new[row, column]
      // The second half of a wide character is drawn with the first.
      guard drawsRest || cell != old[row, column], cell.width > 0 else {
        column += 1
        continue
      }
      move(to: row, column)
      if column >= end {
        style(.plain)
        add("\u{1B}[K")
        return
      }
      style(cell.style)
      if cell.character.hasUncertainWidth {
        // Terminals disagree on these: clear its place, draw it, and then draw the rest of the row
        // where that belongs.
        add(String(repeating: " ", count: Int(cell.width)))
        position = nil
        move(to: row, column)
        add(String(cell.character))
        position = nil
        drawsRest = true
      } else {
        add(String(cell.character))
        position?.column += Int(cell.width)
      }
      column += Int(cell.width)
    }
  }
}

extension Character {
  /// Whether terminals differ in how many columns they give it: it is more than one character with
  /// its marks.
  fileprivate var hasUncertainWidth: Bool {
    var isFirst = true
    for scalar in unicodeScalars {
      let isMark = scalar.properties.generalCategory == .nonspacingMark
      if !isFirst, !isMark || scalar.properties.isVariationSelector { return true }
      isFirst = false
    }
    return false
  }
}
