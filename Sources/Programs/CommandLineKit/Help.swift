/// Writes help for people.
///
/// Its output depends only on the table and the width.
package struct Help<Request: Sendable>: Sendable {
  package let tool: Tool<Request>
  /// The columns to fill.
  ///
  /// The maximum is 100, because longer lines are hard to read.
  package let width: Int

  package init(_ tool: Tool<Request>, width: Int) {
    self.tool = tool
    self.width = min(max(width, 20), 100)
  }

  /// The topics that are not commands, with their titles.
  var topics: [Suggestion] { [("statuses", "Exit statuses")] + tool.about.glossaries.map { ($0.topic, $0.title) } }

  /// Help for a topic: the overview, a command with its subcommand, the statuses, or a glossary.
  ///
  /// It throws if there is no such topic.
  package func page(_ topic: [String]) throws(CommandError) -> String {
    if topic == ["statuses"] { return statuses }
    if let glossary = tool.about.glossaries.first(where: { [$0.topic] == topic }) {
      return finish(["\(glossary.title):"] + definitions(glossary.entries))
    }
    let (found, unknown) = tool.find(topic.map { Word($0) })
    if let unknown {
      let names =
        (found?.command.subcommands ?? tool.commands).flatMap(\.names) + (found == nil ? topics.map(\.value) : [])
      throw .unknownCommand(unknown, among: names, path: [tool.name] + (found?.path ?? []))
    }
    return found.map(page) ?? overview
  }

  /// The description of the program, its first steps, and all its commands.
  package var overview: String {
    var lines = Paragraph.wrap("\(tool.name): \(tool.about.summary).", width: width)
    lines += tool.about.discussion.flatMap { [""] + Paragraph.wrap($0, width: width) }
    lines += firstSteps
    for group in tool.groups {
      lines += section(group.key, group.value.map { ($0.names.joined(separator: ", "), $0.summary) })
    }
    lines += section("Options of every command", tool.allGlobalOptions.map(term)) + [""]
    lines += Paragraph.wrap(
      "'\(tool.name) help COMMAND' explains a command, '\(tool.name) help TOPIC' explains one of: \(topics.map(\.value).joined(separator: ", ")).",
      width: width)
    return finish(lines)
  }

  /// The help for the name of the program alone: the first steps, and the names of the commands, in
  /// fewer lines than a terminal has.
  package var brief: String {
    var lines = Paragraph.wrap("\(tool.name): \(tool.about.summary).", width: width) + firstSteps + [""]
    lines += definitions(tool.groups.map { ($0.key, $0.value.map(\.name).joined(separator: ", ")) })
    lines += [""]
    lines += Paragraph.wrap(
      "'\(tool.name) help' describes all commands, '\(tool.name) help COMMAND' one of them.", width: width)
    return finish(lines)
  }

  private var firstSteps: [String] {
    let steps = tool.about.firstSteps.map { ("\(tool.name) \($0.line)", $0.shows) }
    return ["", "Type first:"] + definitions(widest: width / 2, steps)
  }

  /// The meaning of each exit status.
  package var statuses: String {
    finish(["Exit statuses:"] + definitions(tool.about.statuses.map(term)))
  }

  private func page(_ location: Tool<Request>.Location) -> String {
    let command = location.command
    let name = ([tool.name] + location.path).joined(separator: " ")
    var lines = Paragraph.wrap("\(name): \(command.summary.lowercasedFirst).", width: width)
    lines += ["", "Usage:"] + command.usageLines(name: name).flatMap { Paragraph.wrap($0, width: width, indent: 2) }
    if !command.aliases.isEmpty { lines += ["", "Also called: " + command.aliases.joined(separator: ", ")] }
    lines += command.discussion.flatMap { [""] + Paragraph.wrap($0, width: width) }
    lines += section("Subcommands", command.subcommands.map { ($0.name, $0.summary) })
    lines += section("Arguments", command.arguments.map { ($0.name, $0.summary) })
    lines += section("Options", command.options.map(term))
    lines += section("Options of every command", tool.allGlobalOptions.map(term))
    lines += ["", "Examples:"]
    for example in command.examples {
      lines += ["  \(tool.name) \(example.line)"] + Paragraph.wrap(example.shows, width: width, indent: 6)
    }
    let statuses = tool.statuses(of: command)
    lines += section("Exit statuses", tool.about.statuses.filter { statuses.contains($0.code) }.map(term))
    return finish(lines)
  }

  private func section(_ title: String, _ terms: [(String, String)]) -> [String] {
    terms.isEmpty ? [] : [""] + Paragraph.wrap("\(title):", width: width) + definitions(terms)
  }

  private func definitions(widest limit: Int? = nil, _ terms: [(String, String)]) -> [String] {
    let widest = terms.map { DisplayWidth.columns($0.0) }.max() ?? 0
    let column = min(widest + 4, limit ?? width / 3)
    return terms.flatMap { Paragraph.definition($0.0, $0.1, width: width, column: column) }
  }

  private func term(_ option: OptionDeclaration) -> (String, String) {
    (option.short.map { "-\($0), \(option.usage)" } ?? option.usage, option.summary + option.remark)
  }

  private func term(_ status: (code: Int32, meaning: String)) -> (String, String) {
    (String(status.code), status.meaning)
  }

  private func finish(_ lines: [String]) -> String {
    lines.joined(separator: "\n") + "\n"
  }
}

extension Command {
  /// The usage lines: the command itself, and its subcommands.
  package func usageLines(name: String) -> [String] {
    let required = options.filter(\.isRequired).map(\.usage)
    let optional = options.filter { !$0.isRequired }.map { "[\($0.usage)]" }
    let others = arguments.filter { !$0.isAfterDashes }.map(\.usage)
    let last = arguments.filter(\.isAfterDashes).map(\.usage)
    let own = ([name] + others + required + optional + last).joined(separator: " ")
    return (request == nil ? [] : [own]) + subcommands.flatMap { $0.usageLines(name: "\(name) \($0.name)") }
  }
}

extension OptionDeclaration {
  /// Adds to the summary: the default value, and the environment variable.
  package var remark: String {
    let defaults = [environment.map { "$\($0)" }, standardText].compactMap(\.self).joined(separator: ", then ")
    let notes = [
      isRequired ? "required" : nil, isRepeatable ? "may be repeated" : nil,
      defaults.isEmpty ? nil : "default: \(defaults)",
    ].compactMap(\.self)
    let candidates = value?.form.candidates.map { $0.value } ?? []
    let choice = candidates.count > 1 ? ": " + candidates.formattedAsChoice() : candidates.first.map { ": \($0)" } ?? ""
    return choice + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
  }
}

extension String {
  /// The text with its first letter in lower case, for use inside a sentence.
  package var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
