/// The appearance of a cell of a frame, with the letter for it in golden files.
///
/// A style never adds meaning: without colour, the text of a frame says the same.
package enum CellStyle: Character, Sendable, CaseIterable {
  case plain = " "
  case strong = "s"
  case faint = "f"
  case selected = "r"
  case accent = "a"
  case good = "g"
  case bad = "b"
  /// Light blocks on a dark ground, for a QR code: it needs both colours, also with `NO_COLOR`.
  case picture = "p"

  /// The parameters of SGR (ECMA-48) after a reset; empty for plain text.
  ///
  /// Bold, faint and reverse stay without colour: `NO_COLOR` is about colour alone (no-color.org).
  /// The colours are among those of the 256 that are the same in every terminal; the first 16 are
  /// not. They have a contrast of 3.9 or more with white and with black (WCAG 2.2, 1.4.3).
  package func parameters(colors: Bool) -> String {
    switch self {
    case .plain: ""
    case .strong: "1"
    case .faint: "2"
    case .selected: "7"
    case .accent: colors ? "38;5;31" : ""
    case .good: colors ? "38;5;28" : ""
    case .bad: colors ? "1;38;5;196" : "1"
    case .picture: "38;5;231;48;5;16"
    }
  }
}
