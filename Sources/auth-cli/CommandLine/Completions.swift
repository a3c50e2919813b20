/// Writes completions for shells, from the table alone: the scripts never run the program.
struct Completions<Request: Sendable>: Sendable {
  let tool: Tool<Request>

  init(_ tool: Tool<Request>) {
    self.tool = tool
  }

  /// A script that the shell sources or loads.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// Something to offer.
  struct Offer: Hashable, Sendable {
    let word: String
    let summary: String
  }

  /// A place in the line: after the program's name, or after a command.
  struct Place: Sendable {
    /// The names of the command, joined by blanks; empty after the program's name.
    let key: String
    /// The keys and words that lead here: the key of the place before, and each name of the command.
    let ways: [String]
    let commands: [Offer]
    let options: [OptionDeclaration]
    let values: [Offer]
  }

  /// All places, the first one first.
  var places: [Place] {
    let first = Place(
      key: "", ways: [], commands: Self.offers(tool.commands), options: tool.allGlobalOptions, values: [])
    return [first]
      + tool.locations.map { location in
        let command = location.command
        let before = location.path.dropLast().joined(separator: " ")
        return Place(
          key: location.path.joined(separator: " "),
          ways: command.names.map { before.isEmpty ? $0 : "\(before) \($0)" },
          commands: Self.offers(command.subcommands), options: command.options + tool.allGlobalOptions,
          values: command.arguments.flatMap { offers($0.form) })
      }
  }

  /// The options that take a value, each once.
  var valuedOptions: [OptionDeclaration] {
    var seen: Set<String> = []
    return (tool.allGlobalOptions + tool.locations.flatMap(\.command.options))
      .filter { $0.value != nil && seen.insert($0.long).inserted }
  }

  /// What may be written for a value.
  func offers(_ form: ValueForm) -> [Offer] {
    form.candidates.map { Offer(word: $0.value, summary: $0.summary) }
      + (form.offersCommands ? Self.offers(tool.commands) : [])
  }

  private static func offers(_ commands: [Command<Request>]) -> [Offer] {
    commands.flatMap { command in command.names.map { Offer(word: $0, summary: command.summary) } }
  }

  /// The name of the function in the script.
  var function: String { "_" + String(tool.name.map { $0 == "-" ? "_" : $0 }) }
}

extension OptionDeclaration {
  /// The names with their dashes.
  var spellings: [String] { [flag] + (short.map { ["-\($0)"] } ?? []) }
}

/// Text as a shell takes it literally.
enum ShellQuoting {
  /// Between single quotation marks, for bash and zsh.
  static func posix(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// Between single quotation marks, for fish.
  static func fish(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
