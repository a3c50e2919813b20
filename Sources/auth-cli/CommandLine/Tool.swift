/// A program as its users meet it: the table that the parser, help, the man page and the completions are functions of.
struct Tool<Request: Sendable>: Sendable {
  /// Commands that belong together, under one heading.
  struct Group: Sendable {
    let title: String
    let commands: [Command<Request>]
  }

  /// A heading with terms and what they mean: environment variables, files.
  struct Glossary: Sendable {
    struct Entry: Hashable, Sendable {
      let term: String
      let meaning: String
    }
    let title: String
    let entries: [Entry]
  }

  let name: String
  let version: String
  /// The date of the version as manual pages write it: "January 31, 2026".
  let date: String
  let summary: String
  /// Paragraphs that say what it is.
  let discussion: [String]
  /// What to type first.
  let firstSteps: [Command<Request>.Example]
  let groups: [Group]
  /// Options that every command takes.
  let globalOptions: [OptionDeclaration]
  let statuses: [StatusDeclaration]
  let glossaries: [Glossary]

  /// The top-level commands in the order of the groups.
  var commands: [Command<Request>] { groups.flatMap(\.commands) }

  /// Asks for help.
  ///
  /// It wins over everything else before `--`.
  static var helpOption: OptionDeclaration {
    OptionDeclaration(long: "help", short: "h", summary: "Show help for the program or for the command")
  }

  /// Asks for the version.
  ///
  /// Only `--help` wins over it.
  static var versionOption: OptionDeclaration {
    OptionDeclaration(long: "version", summary: "Show the version")
  }

  /// The global options with the two that every program has.
  var allGlobalOptions: [OptionDeclaration] { globalOptions + [Self.helpOption, Self.versionOption] }

  /// A command with the names that lead to it.
  struct Location: Sendable {
    /// The proper names, without the program's own.
    let path: [String]
    let command: Command<Request>
  }

  /// Every command and subcommand, in the order of the table.
  var locations: [Location] {
    func below(_ command: Command<Request>, _ path: [String]) -> [Location] {
      [Location(path: path, command: command)] + command.subcommands.flatMap { below($0, path + [$0.name]) }
    }
    return commands.flatMap { below($0, [$0.name]) }
  }
}
