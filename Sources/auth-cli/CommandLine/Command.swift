/// One command: its names, and what is to say about it, made only when somebody asks.
///
/// A run asks for one command of the table; making the others would take longer than the rest of a short run.
struct Command<Request: Sendable>: Sendable {
  let name: String
  let aliases: [String]
  private let describe: @Sendable () -> CommandDescription<Request>

  /// `describe` gives what is to say about the command, the same each time.
  init(
    _ name: String, aliases: [String] = [], describedBy describe: @escaping @Sendable () -> CommandDescription<Request>
  ) {
    self.name = name
    self.aliases = aliases
    self.describe = describe
  }

  /// What it takes, does and shows.
  ///
  /// Made anew each time.
  var description: CommandDescription<Request> { describe() }

  /// The name and the aliases.
  var names: [String] { [name] + aliases }

  /// Whether `word` is the name or an alias, exactly: no abbreviation, no other case.
  func isCalled(_ word: Word) -> Bool {
    word.isSpelled(name) || aliases.contains(where: word.isSpelled)
  }
}

extension Command {
  var summary: String { description.summary }
  var discussion: [String] { description.discussion }
  var arguments: [ArgumentDeclaration] { description.arguments }
  var options: [OptionDeclaration] { description.options }
  var examples: [Example] { description.examples }
  var statuses: [StatusDeclaration] { description.statuses }
  var subcommands: [Command] { description.subcommands }
  var request: CommandDescription<Request>.Binding? { description.request }
}

/// A status that a program can end with.
struct StatusDeclaration: Hashable, Sendable {
  let code: Int32
  let meaning: String
}
