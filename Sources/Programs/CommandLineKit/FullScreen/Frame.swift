import TextFormat

/// The content of a terminal at one moment: a grid of cells and the position of the cursor.
///
/// Drawing into a frame writes nothing to the terminal. ``FrameDiff`` creates the bytes that turn
/// one frame into the next.
package struct Frame: Equatable, Sendable {
  /// One column of one row.
  package struct Cell: Equatable, Sendable {
    /// The character; a space in the second half of a wide character.
    package var character: Character = " "
    /// The number of columns of the character: 1 or 2, and 0 in the second half of a wide one.
    package var width: UInt8 = 1
    package var style = CellStyle.plain

    package static let blank = Cell()
  }

  /// A position, counted from 0 at the upper left.
  package struct Position: Equatable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      (self.row, self.column) = (row, column)
    }
  }

  package let columns: Int
  package let rows: Int
  package private(set) var cells: [Cell]
  /// The position of the cursor; nil hides it.
  package var cursor: Position?

  /// An empty frame.
  package init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Draws text into a row, starting at a column, within `width` columns and the frame.
  ///
  /// This escapes the text, so it cannot control the terminal. Text that does not fit is cut off
  /// without an ellipsis.
  ///
  /// - Returns: The column after the text.
  @discardableResult
  package mutating func put(
    _ text: String, row: Int, column: Int, width: Int = .max, style: CellStyle = .plain
  ) -> Int {
    var column = column
    guard (0..<rows).contains(row), (0..<columns).contains(column) else { return column }
    let end = width < columns - column ? column + max(0, width) : columns
    for character in TextEscaping.escape(text) {
      let cell = Self.cell(character, style)
      guard column + Int(cell.width) <= end else { break }
      set(cell, row, column)
      column += Int(cell.width)
    }
    return column
  }

  /// Changes the style of a row in a range of columns, and keeps its text.
  ///
  /// A wide character that is partly in the range also changes, as a whole.
  package mutating func restyle(row: Int, columns range: Range<Int>, style: CellStyle) {
    guard (0..<rows).contains(row) else { return }
    for column in range.clamped(to: 0..<columns) {
      let index = row * columns + column
      cells[index].style = style
      if cells[index].width == 0 { cells[index - 1].style = style }
      if cells[index].width == 2 { cells[index + 1].style = style }
    }
  }

  private static func cell(_ character: Character, _ style: CellStyle) -> Cell {
    let width = DisplayWidth.columns(character)
    // A mark without a base character gets the dotted circle of Unicode's charts.
    guard width > 0 else { return Cell(character: Character("\u{25CC}\(character)"), width: 1, style: style) }
    return Cell(character: character, width: UInt8(width), style: style)
  }

  private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
    let index = row * columns + column
    // Half of a wide character is replaced by a blank.
    if cells[index].width == 0 { cells[index - 1] = .blank }
    let last = index + Int(cell.width) - 1
    if cells[last].width == 2, column + Int(cell.width) < columns { cells[last + 1] = .blank }
    cells[index] = cell
    if cell.width == 2 { cells[index + 1] = Cell(character: " ", width: 0, style: cell.style) }
  }
}
