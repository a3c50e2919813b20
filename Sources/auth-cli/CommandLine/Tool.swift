/// A program as its users meet it: the table that the parser, help, the man page and the completions are functions of.
struct Tool<Request: Sendable>: Sendable {
  /// Commands that belong together, under one heading.
  struct Group: Sendable {
    let title: String
    let commands: [Command<Request>]
  }

  /// A command with the names that lead to it.
  struct Location: Sendable {
    /// The proper names, without the program's own.
    let path: [String]
    let command: Command<Request>
  }

  let name: String
  let groups: [Group]
  /// Options that every command takes.
  let globalOptions: [OptionDeclaration]
  private let describe: @Sendable () -> About

  /// `about` gives what is to say about the program, the same each time.
  init(
    name: String, groups: [Group], globalOptions: [OptionDeclaration], about: @escaping @Sendable () -> About
  ) {
    self.name = name
    self.groups = groups
    self.globalOptions = globalOptions
    describe = about
  }

  /// What is to say about the program.
  var about: About { describe() }

  /// The top-level commands in the order of the groups.
  var commands: [Command<Request>] { groups.flatMap(\.commands) }

  /// Every command and subcommand, in the order of the table.
  var locations: [Location] { commands.flatMap { Self.locations($0, path: [$0.name]) } }

  /// A top-level command, by its name or an alias.
  func command(called word: Word) -> Command<Request>? {
    for group in groups {
      if let command = group.commands.first(where: { command in command.isCalled(word) }) { return command }
    }
    return nil
  }

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

  private static func locations(_ command: Command<Request>, path: [String]) -> [Location] {
    [Location(path: path, command: command)]
      + command.subcommands.flatMap { locations($0, path: path + [$0.name]) }
  }
}
