import Races

@testable import CommandLineKit

/// Frames as no program draws them, from a seed.
struct RandomFrames {
  private var random: SeededGenerator
  private var frame: Frame

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    frame = Frame(columns: 20, rows: 5)
  }

  /// The next frame: the one before with some changes, another of the same size, or one of another
  /// size.
  mutating func next() -> Frame {
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      frame = Frame(columns: .random(in: 1...60, using: &random), rows: .random(in: 1...16, using: &random))
      draw(.random(in: 0...20, using: &random))
    case 1:
      frame = Frame(columns: frame.columns, rows: frame.rows)
      draw(.random(in: 0...20, using: &random))
    case 2:
      // The same again, and at most the cursor moves.
      break
    case _: draw(.random(in: 1...3, using: &random))
    }
    frame.cursor =
      Bool.random(using: &random)
      ? nil
      : .init(
        row: .random(in: 0..<frame.rows, using: &random), column: .random(in: 0..<frame.columns, using: &random))
    return frame
  }

  private mutating func draw(_ count: Int) {
    for _ in 0..<count {
      let row = Int.random(in: 0..<frame.rows, using: &random)
      let column = Int.random(in: 0..<frame.columns, using: &random)
      let style = CellStyle.allCases.randomElement(using: &random) ?? .plain
      if Int.random(in: 0..<5, using: &random) == 0 {
        frame.restyle(row: row, columns: column..<column + 5, style: style)
      } else {
        var text = ""
        for _ in 0..<Int.random(in: 1...12, using: &random) { text += Self.pieces.randomElement(using: &random) ?? "" }
        frame.put(text, row: row, column: column, width: .random(in: 0...30, using: &random), style: style)
      }
    }
  }

  /// Characters that every emulator has the same width for: narrow, wide, with a mark, and ones
  /// that are escaped.
  private static let pieces = [
    "a", "Zoë", "  ", "       ", "#", "e\u{301}", "日本", "한", "😀", "ｆ", "…", "█", "\u{1B}", "x", "-",
  ]
}
