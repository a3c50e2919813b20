/// A program as its users meet it: the table that the parser, help, the man page and the
/// completions are functions of.
package struct Tool<Request: Sendable>: Sendable {
  /// Commands that belong together, under one heading.
  package struct Group: Sendable {
    package let title: String
    package let commands: [Command<Request>]

    package init(title: String, commands: [Command<Request>]) {
      self.title = title
      self.commands = commands
    }
  }

  /// A command with the names that lead to it.
  package struct Location: Sendable {
    /// The proper names, without the program's own.
    package let path: [String]
    package let command: Command<Request>
  }

  package let name: String
  package let groups: [Group]
  /// Options that every command takes, with the two that every program has.
  package let allGlobalOptions: [OptionDeclaration]
  private let describe: @Sendable () -> About

  /// `about` gives what is to say about the program, the same each time.
  package init(
    name: String, groups: [Group], globalOptions: [OptionDeclaration], about: @escaping @Sendable () -> About
  ) {
    self.name = name
    self.groups = groups
    allGlobalOptions = globalOptions + [Self.helpOption, Self.versionOption]
    describe = about
  }

  /// What is to say about the program.
  package var about: About { describe() }

  /// The top-level commands in the order of the groups.
  package var commands: [Command<Request>] { groups.flatMap(\.commands) }

  /// Every command and subcommand, in the order of the table.
  package var locations: [Location] { commands.flatMap { Self.locations($0, path: [$0.name]) } }

  /// A top-level command, by its name or an alias.
  package func command(called word: Word) -> Command<Request>? {
    // Loops here and in the parser, not `first(where:)` and `flatMap`: code made small calls these
    // unspecialised, and the runtime then looks through all conformances of the program, a tenth of
    // what a short command does.
    for group in groups {
      for command in group.commands where command.isCalled(word) { return command }
    }
    return nil
  }

  /// The command with these proper names.
  package func command(at path: ArraySlice<String>) -> Command<Request>? {
    var choices = commands
    var found: Command<Request>?
    for name in path {
      found = choices.first { $0.name == name }
      choices = found?.subcommands ?? []
    }
    return found
  }

  /// Asks for help.
  ///
  /// It wins over everything else before `--`.
  package static var helpOption: OptionDeclaration {
    OptionDeclaration(long: "help", short: "h", summary: "Show help for the program or for the command")
  }

  /// Asks for the version.
  ///
  /// Only `--help` wins over it.
  package static var versionOption: OptionDeclaration {
    OptionDeclaration(long: "version", summary: "Show the version")
  }

  private static func locations(_ command: Command<Request>, path: [String]) -> [Location] {
    [Location(path: path, command: command)]
      + command.subcommands.flatMap { locations($0, path: path + [$0.name]) }
  }
}
