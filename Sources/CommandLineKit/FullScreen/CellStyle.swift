/// How a cell of a frame looks.
///
/// No style carries a meaning that the text does not have too: without colour a frame says the
/// same.
package enum CellStyle: Sendable, CaseIterable {
  case plain, strong, faint, selected, accent, good, bad

  /// The parameters of SGR (ECMA-48) after a reset; empty for plain text.
  ///
  /// Bold, faint and reverse stay without colour: `NO_COLOR` is about colour alone (no-color.org).
  package func parameters(colors: Bool) -> String {
    switch self {
    case .plain: ""
    case .strong: "1"
    case .faint: "2"
    case .selected: "7"
    case .accent: colors ? "36" : ""
    case .good: colors ? "32" : ""
    case .bad: colors ? "1;31" : "1"
    }
  }

  /// The letter that stands for it in golden files.
  package var letter: Character {
    switch self {
    case .plain: " "
    case .strong: "s"
    case .faint: "f"
    case .selected: "r"
    case .accent: "a"
    case .good: "g"
    case .bad: "b"
    }
  }
}
