/// A shell with completions.
package enum Shell: String, Choice {
  case bash
  case zsh
  case fish

  package var summary: String { "completions for \(rawValue)" }
}

/// Writes shell completions from the table of commands.
///
/// The scripts run the program only for dynamic values, such as the names of contexts.
package struct Completions<Request: Sendable>: Sendable {
  package let tool: Tool<Request>

  package init(_ tool: Tool<Request>) {
    self.tool = tool
  }

  /// A script that the shell sources or loads.
  package func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// A position in the line: after the program's name, or after a command.
  package struct Place: Sendable {
    /// The names of the command, joined by spaces; empty after the program's name.
    package let key: String
    /// The keys and words that lead here: the key of the previous place, and each name of the
    /// command.
    package let ways: [String]
    package let commands: [Suggestion]
    package let options: [OptionDeclaration]
    package let values: [Suggestion]
    /// The commands that print more values, one per line.
    package let listers: [String]
  }

  /// All places, the first one first.
  package var places: [Place] {
    let first = Place(
      key: "", ways: [], commands: Self.offers(tool.commands), options: tool.allGlobalOptions, values: [],
      listers: [])
    return [first]
      + tool.locations.map { location in
        let command = location.command
        let before = location.path.dropLast().joined(separator: " ")
        return Place(
          key: location.path.joined(separator: " "),
          ways: command.names.map { before.isEmpty ? $0 : "\(before) \($0)" },
          commands: Self.offers(command.subcommands), options: command.options + tool.allGlobalOptions,
          values: command.arguments.flatMap { offers($0.form) },
          listers: command.arguments.compactMap { lister($0.form) })
      }
  }

  /// The options that take a value, each once.
  package var valuedOptions: [OptionDeclaration] {
    var seen: Set<String> = []
    return (tool.allGlobalOptions + tool.locations.flatMap(\.command.options))
      .filter { $0.value != nil && seen.insert($0.long).inserted }
  }

  func offers(_ form: ValueForm) -> [Suggestion] {
    form.candidates + (form.offersCommands ? Self.offers(tool.commands) : [])
  }

  /// The shell command that prints the suggestions for a value, without error messages.
  package func lister(_ form: ValueForm) -> String? {
    form.listedBy.map { "\(tool.name) \($0) 2>/dev/null" }
  }

  private static func offers(_ commands: [Command<Request>]) -> [Suggestion] {
    commands.flatMap { command in command.names.map { ($0, command.summary) } }
  }

  /// The name of the function in the script.
  package var function: String { "_" + String(tool.name.map { $0 == "-" ? "_" : $0 }) }
}
