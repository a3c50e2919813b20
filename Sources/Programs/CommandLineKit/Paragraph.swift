/// Wraps text into lines.
package enum Paragraph {
  /// Breaks `text` into lines of at most `width` columns, each after `indent` spaces.
  ///
  /// Words have one space between them.
  package static func wrap(_ text: String, width: Int, indent: Int = 0) -> [String] {
    let words = text.split(separator: " ").joined(separator: " ")
    let lines = words.isEmpty ? [] : DisplayWidth.split(words, to: max(width - indent, 8), indent: "")
    return lines.map { String(repeating: " ", count: indent) + $0 }
  }

  /// A message with line breaks after words, where a terminal of this width needs them.
  ///
  /// A word that is longer than a line stays whole, so that a terminal copies it whole.
  package static func message(_ text: String, width: Int?) -> String {
    guard let width, DisplayWidth.columns(text) > width else { return text }
    var (lines, column) = ("", 0)
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let columns = DisplayWidth.columns(String(word))
      let breaks = column > 0 && column + 1 + columns > width
      if index > 0 { lines += breaks ? "\n" : " " }
      lines += word
      column = (breaks ? 0 : column + min(index, 1)) + columns
    }
    return lines
  }

  /// A term with its explanation in a second column, or below the term if the term is too long.
  package static func definition(_ term: String, _ text: String, width: Int, column: Int) -> [String] {
    let lines = wrap(text, width: width, indent: column)
    let head = "  " + term
    guard DisplayWidth.columns(head) + 2 <= column, let first = lines.first else { return [head] + lines }
    return [DisplayWidth.pad(head, to: column) + first.drop { $0 == " " }] + lines.dropFirst()
  }
}
