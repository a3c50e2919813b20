import TextFormat

/// The blocks of code of a Markdown file, in their order, and the text between them.
struct Markdown {
  private(set) var blocks: [(language: String, lines: [Substring])] = []
  private(set) var text = ""

  init(_ file: String) {
    var isInside = false
    for line in file.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside.toggle()
        if isInside { blocks.append((String(line.dropFirst(3)), [])) }
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      } else {
        text += line + "\n"
      }
    }
  }

  /// The commands that it names outside of its terminal sessions.
  ///
  /// They are the lines of its `sh` blocks, without their comments, and the spans of code in its
  /// text that are words of a command line: more than one, and the first neither an option nor a
  /// variable.
  var commands: [String] {
    let spans = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { index, span in
      index % 2 == 1 && span.contains(where: \.isWhitespace) && span.first?.isLetter == true
    }
    let lines = lines(in: "sh").map { $0.prefix { $0 != "#" } } + spans.map(\.element)
    return lines.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }.distinct
  }

  /// The lines of the blocks in one language.
  func lines(in language: String) -> [Substring] { blocks.filter { $0.language == language }.flatMap(\.lines) }
}
