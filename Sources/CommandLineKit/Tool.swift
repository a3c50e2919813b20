/// The command-line interface of a program: the table from which the parser, help, the man page and
/// the completions are derived.
package struct Tool<Request: Sendable>: Sendable {
  /// A command with its path.
  package struct Location: Sendable {
    /// The main names, without the program's name.
    package let path: [String]
    package let command: Command<Request>
  }

  package let name: String
  /// Related commands, by their heading.
  package let groups: KeyValuePairs<String, [Command<Request>]>
  /// The options of every command, including the two that every program has.
  package let allGlobalOptions: [OptionDeclaration]
  private let describe: @Sendable () -> About

  /// Creates a tool; `about` returns its description, the same each time.
  package init(
    name: String, groups: KeyValuePairs<String, [Command<Request>]>, globalOptions: [OptionDeclaration],
    about: @escaping @Sendable () -> About
  ) {
    self.name = name
    self.groups = groups
    allGlobalOptions = globalOptions + [Self.helpOption, Self.versionOption]
    describe = about
  }

  /// The description of the program.
  package var about: About { describe() }

  /// The top-level commands in the order of the groups.
  package var commands: [Command<Request>] { groups.flatMap { $0.value } }

  /// Every command and subcommand, in the order of the table.
  package var locations: [Location] { commands.flatMap { Self.locations($0, path: [$0.name]) } }

  /// A top-level command, by its name or an alias.
  package func command(called word: Word) -> Command<Request>? {
    // Loops here and in the parser, not `first(where:)` and `flatMap`: code optimised for size
    // calls these unspecialised, and the runtime then searches all conformances of the program, a
    // tenth of the work of a short command.
    for group in groups {
      for command in group.value where command.isCalled(word) { return command }
    }
    return nil
  }

  /// The command to which these names lead from the top, and the first name that leads nowhere.
  package func find(_ names: [Word]) -> (location: Location?, unknown: Word?) {
    var found: Location?
    for name in names {
      let choices = found?.command.subcommands ?? commands
      guard let next = choices.first(where: { $0.isCalled(name) }) else { return (found, name) }
      found = Location(path: (found?.path ?? []) + [next.name], command: next)
    }
    return (found, nil)
  }

  /// The option that shows help.
  ///
  /// It takes precedence over everything else before `--`.
  package static var helpOption: OptionDeclaration {
    OptionDeclaration(long: "help", short: "h", summary: "Show help for the program or for the command")
  }

  /// The option that shows the version.
  ///
  /// Only `--help` takes precedence over it.
  package static var versionOption: OptionDeclaration {
    OptionDeclaration(long: "version", summary: "Show the version")
  }

  private static func locations(_ command: Command<Request>, path: [String]) -> [Location] {
    [Location(path: path, command: command)]
      + command.subcommands.flatMap { locations($0, path: path + [$0.name]) }
  }
}
