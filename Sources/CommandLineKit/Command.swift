/// One command: its names, and what is to say about it, made only when somebody asks.
///
/// A run asks for one command of the table; making the others would take longer than the rest of a
/// short run.
package struct Command<Request: Sendable>: Sendable {
  package let name: String
  package let aliases: [String]
  /// What people type who look for it.
  ///
  /// It is offered and never run.
  let soughtAs: [String]
  private let describe: @Sendable () -> CommandDescription<Request>

  /// `describe` gives what is to say about the command, the same each time.
  package init(
    _ name: String, aliases: [String] = [], soughtAs: [String] = [],
    describedBy describe: @escaping @Sendable () -> CommandDescription<Request>
  ) {
    self.name = name
    self.aliases = aliases
    self.soughtAs = soughtAs
    self.describe = describe
  }

  /// What it takes, does and shows.
  ///
  /// Made anew each time.
  package var description: CommandDescription<Request> { describe() }

  /// The name and the aliases.
  package var names: [String] { [name] + aliases }

  /// Whether `word` is the name or an alias, exactly: no abbreviation, no other case.
  package func isCalled(_ word: Word) -> Bool {
    word.isSpelled(name) || aliases.contains(where: word.isSpelled)
  }
}

extension Command {
  package var summary: String { description.summary }
  package var discussion: [String] { description.discussion }
  package var arguments: [ArgumentDeclaration] { description.arguments }
  package var options: [OptionDeclaration] { description.options }
  package var examples: [Example] { description.examples }
  package var statuses: [StatusDeclaration] { description.statuses }
  package var subcommands: [Command] { description.subcommands }
  package var request: CommandDescription<Request>.Binding? { description.request }
}

/// A status that a program can end with.
package struct StatusDeclaration: Hashable, Sendable {
  package let code: Int32
  package let meaning: String

  package init(code: Int32, meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}
