/// The command-line interface of a program: the table from which the parser, help, the man page and
/// the completions are derived.
package struct Tool<Request: Sendable>: Sendable {
  /// A command with its path.
  package struct Location: Sendable {
    /// The main names, without the program's name.
    package let path: [String]
    package let command: Command<Request>
  }

  /// Related commands, by their heading.
  package typealias Groups = KeyValuePairs<String, [Command<Request>]>

  package let name: String
  /// The options of every command, including the two that every program has.
  package let allGlobalOptions: [OptionDeclaration]
  private let frequent: @Sendable (Word) -> Command<Request>?
  private let makeGroups: @Sendable () -> Groups
  private let describe: @Sendable () -> About

  /// Creates a tool.
  ///
  /// The groups and the description are created on request, and are the same each time. A run
  /// needs one command of the table; creating all of them takes a fifth of a short run. So
  /// `frequent` finds commands that programs run often, by each of their names.
  package init(
    name: String, groups: @autoclosure @escaping @Sendable () -> Groups, globalOptions: [OptionDeclaration],
    frequent: @escaping @Sendable (Word) -> Command<Request>? = { _ in nil }, about: @escaping @Sendable () -> About
  ) {
    self.name = name
    allGlobalOptions =
      globalOptions + [
        OptionDeclaration(long: "help", short: "h", summary: "Show help for the program or for the command"),
        OptionDeclaration(long: "version", summary: "Show the version"),
      ]
    self.frequent = frequent
    makeGroups = groups
    describe = about
  }

  package var groups: Groups { makeGroups() }

  /// The description of the program.
  package var about: About { describe() }

  /// The top-level commands in the order of the groups.
  package var commands: [Command<Request>] { groups.flatMap { $0.value } }

  /// Every command and subcommand, in the order of the table.
  package var locations: [Location] { commands.flatMap { Self.locations($0, path: [$0.name]) } }

  /// The options of every command: first those that all have.
  package var everyOption: [OptionDeclaration] { allGlobalOptions + locations.flatMap(\.command.options) }

  /// The command of this name or alias: a subcommand of `parent`, or one of the top.
  ///
  /// It is spelled exactly so: no abbreviation, no other case.
  package func command(called word: Word, in parent: Command<Request>? = nil) -> Command<Request>? {
    if parent == nil, let command = frequent(word) { return command }
    return (parent?.subcommands ?? commands).first { $0.names.contains(where: word.isSpelled) }
  }

  /// The exit statuses of a command; one that only groups subcommands has theirs.
  package func statuses(of command: Command<Request>) -> [Int32] {
    // Creating `about` takes as long as a short command, and debug builds call this in every run.
    guard command.request == nil || command.statuses.isEmpty else { return command.statuses }
    let all = about.statuses.map { $0.code }
    if command.request != nil { return all }
    return all.filter { (command.statuses + command.subcommands.flatMap(statuses)).contains($0) }
  }

  /// The command to which these names lead from the top, and the first name that leads nowhere.
  package func find(_ names: [Word]) -> (location: Location?, unknown: Word?) {
    var found: Location?
    for name in names {
      guard let next = command(called: name, in: found?.command) else { return (found, name) }
      found = Location(path: (found?.path ?? []) + [next.name], command: next)
    }
    return (found, nil)
  }

  private static func locations(_ command: Command<Request>, path: [String]) -> [Location] {
    [Location(path: path, command: command)]
      + command.subcommands.flatMap { locations($0, path: path + [$0.name]) }
  }
}
