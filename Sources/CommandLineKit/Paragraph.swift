/// Wraps text into lines.
package enum Paragraph {
  /// Breaks `text` at spaces into lines of at most `width` columns, each after `indent` spaces.
  ///
  /// A longer word gets a separate line.
  package static func wrap(_ text: String, width: Int, indent: Int = 0) -> [String] {
    let space = max(width - indent, 20)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if DisplayWidth.columns(line) + 1 + DisplayWidth.columns(String(word)) <= space {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { String(repeating: " ", count: indent) + $0 }
  }

  /// A term with its explanation in a second column, or below the term if the term is too long.
  package static func definition(_ term: String, _ text: String, width: Int, column: Int) -> [String] {
    let lines = wrap(text, width: width, indent: column)
    let head = "  " + term
    guard DisplayWidth.columns(head) + 2 <= column, let first = lines.first else { return [head] + lines }
    return [DisplayWidth.pad(head, to: column) + first.drop { $0 == " " }] + lines.dropFirst()
  }
}
