// The manual page: one page with all commands, in mdoc(7).

extension Tool {
  /// The source of the page, for section 1.
  package var manual: String {
    var lines = [".Dd \(Roff.text(about.date))", ".Dt \(name.uppercased()) 1", ".Os"]
    lines += [".Sh NAME", ".Nm \(name)", ".Nd \(Roff.text(about.summary))"]
    lines += synopsis
    lines += [".Sh DESCRIPTION"] + paragraphs(about.discussion)
    lines += [".Pp", "Options may come before or after the command.", "Everything after", ".Ql --", "is an argument."]
    lines += ["The options of every command are:"] + list(allGlobalOptions)
    lines += [".Pp", "To begin with, type:"] + examples(about.firstSteps)
    lines += [".Sh COMMANDS"]
    lines += locations.flatMap(section)
    for glossary in about.glossaries {
      lines +=
        [".Sh \(glossary.title.uppercased())"] + list(glossary.entries.map { (Roff.quoted($0.term), $0.meaning) })
    }
    lines += [".Sh EXIT STATUS"] + list(about.statuses.map { (String($0.code), $0.meaning) })
    return lines.joined(separator: "\n") + "\n"
  }

  private var synopsis: [String] {
    var lines = [".Sh SYNOPSIS"]
    for location in locations where location.command.request != nil {
      lines += [".Nm", ".Cm \(location.path.joined(separator: " "))"]
      // In the order of the help.
      let (arguments, options) = (location.command.arguments, location.command.options)
      lines += arguments.filter { !$0.isAfterDashes }.map(\.roff)
      lines += options.filter(\.isRequired).map { ".\($0.roff)" }
      lines += options.filter { !$0.isRequired }.map { ".Op \($0.roff)" }
      lines += arguments.filter(\.isAfterDashes).flatMap { [".Li \\-\\-", ".Ar \($0.name) ..."] }
    }
    return lines
  }

  private func section(_ location: Location) -> [String] {
    let command = location.command
    let name = location.path.joined(separator: " ")
    var lines = [".Ss \(([name] + command.aliases).joined(separator: ", "))", Roff.lines(command.summary + ".")]
    lines += command.discussion.isEmpty ? [] : [".Pp"] + paragraphs(command.discussion)
    lines += command.subcommands.isEmpty ? [] : [".Pp", "Subcommands:"]
    lines += list(command.subcommands.map { ("Cm \($0.name)", $0.summary + ".") })
    lines += list(command.arguments.map { ("Ar \($0.name)", $0.summary + ".") })
    lines += list(command.options)
    lines += [".Pp", "Examples:"] + examples(command.examples)
    return lines + [".Pp", "It exits with \(statuses(of: command).map { String($0) }.formattedAsChoice())."]
  }

  private func list(_ options: [OptionDeclaration]) -> [String] {
    list(
      options.map { option in
        ((option.short.map { "Fl \($0) , " } ?? "") + option.roff, option.summary + option.remark + ".")
      })
  }

  private func examples(_ examples: [Example]) -> [String] {
    list(examples.map { ("Li \(Roff.quoted("\(name) \($0.line)"))", $0.shows) })
  }

  /// Terms in mdoc, with their explanations.
  private func list(_ items: [(term: String, text: String)]) -> [String] {
    items.isEmpty ? [] : [".Bl -tag -width Ds"] + items.flatMap { [".It \($0.term)", Roff.lines($0.text)] } + [".El"]
  }

  private func paragraphs(_ texts: [String]) -> [String] {
    Array(texts.map { [Roff.lines($0)] }.joined(separator: [".Pp"]))
  }
}

extension ArgumentDeclaration {
  /// The argument as an mdoc macro.
  fileprivate var roff: String { (arity.isRequired ? ".Ar " : ".Op Ar ") + name + (arity.takesRest ? " ..." : "") }
}

extension OptionDeclaration {
  /// The long name and its value as mdoc macros.
  fileprivate var roff: String {
    "Fl \\-\(Roff.text(long))" + (value.map { " Ar \($0.name)" } ?? "")
  }
}

/// Escapes text so that roff takes it literally.
package enum Roff {
  /// Text inside a line.
  package static func text(_ text: String) -> String {
    text.map { escapes[$0] ?? String($0) }.joined()
  }

  private static let escapes: [Character: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "…": "...",
  ]

  /// Running text, with each sentence on a new line; text that starts like a request is escaped.
  package static func lines(_ text: String) -> String {
    let words = text.split(separator: " ").map { $0.last == "." || $0.last == "?" ? $0 + "\n" : $0 + " " }
    let sentences = words.joined().split(separator: "\n").map(String.init)
    // Wrapped after escaping, which makes words longer, because mandoc(1) warns of lines of more
    // than 80 bytes.
    return sentences.flatMap { Paragraph.wrap(self.text($0), width: 78) }
      .map { line in line.hasPrefix(".") ? "\\&" + line : line }
      .joined(separator: "\n")
  }

  /// Text as one argument of a macro.
  package static func quoted(_ text: String) -> String {
    "\"" + self.text(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
  }
}
