/// The commands that a Markdown file names outside of its terminal sessions.
///
/// They are the lines of its `sh` blocks, without their comments, and the spans of code in its text
/// that are words of a command line: more than one, and the first neither an option nor a variable.
struct ReadmeCommands {
  private(set) var commands: [String] = []
  /// The languages of its blocks, in their order.
  private(set) var languages: [String] = []

  init(markdown: String) {
    var text = ""
    var language: String?
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        language = language == nil ? String(line.dropFirst(3)) : nil
        if let language { languages.append(language) }
      } else if language == "sh" {
        add(line.prefix { $0 != "#" })
      } else if language == nil {
        text += line + "\n"
      }
    }
    for (index, span) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    where index % 2 == 1 && span.contains(where: \.isWhitespace) && span.first?.isLetter == true {
      add(span)
    }
  }

  private mutating func add(_ words: Substring) {
    let command = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if !command.isEmpty && !commands.contains(command) { commands.append(command) }
  }
}
