import TextFormat

/// Creates the bytes that turn the content of a terminal into another frame.
///
/// They are ECMA-48 sequences that every current terminal supports, inside a synchronized update
/// (DEC mode 2026): some terminals show it as a whole, the others ignore the mode. They begin and
/// end with plain style, and require automatic wrapping to be off.
package enum FrameDiff {
  /// - Parameters:
  ///   - old: The content of the terminal; nil if it is unknown, so that everything is drawn.
  ///   - new: The new content.
  ///   - colors: Whether it may use colour.
  ///   - isASCII: Whether the terminal shows only ASCII.
  /// - Returns: The bytes; none if nothing changes.
  package static func bytes(from old: Frame?, to new: Frame, colors: Bool, isASCII: Bool = false) -> [UInt8] {
    if old == new { return [] }
    var writer = Writer(colors: colors, isASCII: isASCII, columns: new.columns)
    writer.add("\u{1B}[?2026h")
    if old == nil || old?.cursor != nil { writer.add("\u{1B}[?25l") }
    var before = Frame(columns: new.columns, rows: new.rows)
    if let old, old.columns == new.columns, old.rows == new.rows {
      before = old
    } else {
      // Not `2J`: without an alternate screen, some terminals then keep in their history what was
      // on the screen, and that may have been codes.
      writer.add("\u{1B}[m\u{1B}[9999;9999H\u{1B}[1J")
    }
    for row in 0..<new.rows { writer.turn(before, into: new, row) }
    writer.style(.plain)
    if let cursor = new.cursor {
      writer.move(to: cursor.row, cursor.column)
      writer.add("\u{1B}[?25h")
    }
    writer.add("\u{1B}[?2026l")
    return writer.bytes
  }
}

private struct Writer {
  var bytes: [UInt8] = []
  let colors: Bool
  let isASCII: Bool
  let columns: Int
  /// The position of the terminal's cursor; nil if it is uncertain.
  var position: Frame.Position?
  var current = CellStyle.plain

  mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func style(_ style: CellStyle) {
    let (from, to) = (current.parameters(colors: colors), style.parameters(colors: colors))
    current = style
    guard from != to else { return }
    add("\u{1B}[" + (to.isEmpty || from.isEmpty ? "" : "0;") + to + "m")
  }

  mutating func move(to row: Int, _ column: Int) {
    defer { position = Frame.Position(row: row, column: column) }
    if let position, position.row == row, position.column <= column, position.column < columns {
      let gap = column - position.column
      if gap > 0 { add("\u{1B}[" + (gap > 1 ? "\(gap)" : "") + "C") }
    } else {
      add("\u{1B}[\(row + 1)" + (column > 0 ? ";\(column + 1)" : "") + "H")
    }
  }

  mutating func turn(_ old: Frame, into new: Frame, _ row: Int) {
    let range = (row * new.columns)..<((row + 1) * new.columns)
    let cells = Array(new.cells[range])
    var before = Array(old.cells[range])
    guard cells != before else { return }
    // Terminals disagree on the width of some characters. A row with such a character, now or
    // before, is cleared and redrawn as a whole, so that no part of it remains.
    if (cells + before).contains(where: \.isDisputed) {
      clear(row)
      before = Array(repeating: .blank, count: cells.count)
    }
    let changed = cells.indices.filter { cells[$0] != before[$0] }
    guard var column = changed.first, let last = changed.last else { return }
    // The second half of a wide character is drawn with the first.
    if cells[column].width == 0 { column -= 1 }
    while column <= last {
      let blanks = cells[column...].prefix { $0 == .blank }.count
      if column + blanks == cells.count {
        move(to: row, column)
        return clear(row)
      }
      // More blanks than these cost more bytes than to erase them and to move on.
      if blanks > 8 {
        if before[column..<(column + blanks)].contains(where: { $0 != .blank }) {
          move(to: row, column)
          style(.plain)
          add("\u{1B}[\(blanks)X")
        }
        column += blanks
      } else {
        move(to: row, column)
        draw(cells[column])
        column += Int(cells[column].width)
      }
    }
  }

  private mutating func draw(_ cell: Frame.Cell) {
    style(cell.style)
    add(isASCII ? cell.inASCII : String(cell.character))
    // After one of those, the terminal's cursor may be elsewhere.
    if cell.isDisputed, !isASCII { position = nil } else { position?.column += Int(cell.width) }
  }

  /// Clears the row, from the cursor on where that is in it.
  private mutating func clear(_ row: Int) {
    if position?.row != row { move(to: row, 0) }
    style(.plain)
    add("\u{1B}[K")
  }
}

extension Frame.Cell {
  /// Whether terminals disagree on the width of the character.
  ///
  /// They agree on Latin letters with their marks, on arrows, lines, blocks and dots, and on the
  /// letters of East Asia.
  fileprivate var isDisputed: Bool {
    if character.utf8.count == 1 { return false }
    let scalars = character.unicodeScalars
    let first = scalars[scalars.startIndex]
    switch first.value {
    case _ where first.isForDrawing, 0x20...0x24F, 0x2190...0x2193, 0x3041...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
      0xFF01...0xFF60:
      return !scalars.dropFirst().allSatisfy { (0x300...0x36F).contains($0.value) }
    case _: return true
    }
  }

  /// The replacement of the character on a terminal that shows only ASCII, in as many columns.
  fileprivate var inASCII: String {
    if character.isASCII { return String(character) }
    if character.unicodeScalars.allSatisfy(\.isDots) { return "*" }
    // Such as the joints of heavy lines.
    let other: Character = character.unicodeScalars.allSatisfy(\.isForDrawing) ? "#" : "?"
    return String(repeating: Self.signs[character] ?? other, count: Int(width))
  }

  private static let signs = [Character: Character](
    uniqueKeysWithValues: zip(
      "─·–│┌┐└┘├┤┬┴┼━↑↓←‹◀→›▶…▁▂▃▄▅▆▇█",
      "---|+++++++++=^v<<<>>>~___===##"))
}
