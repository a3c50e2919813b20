/// One command: its names, and its description, which is created only on request.
///
/// A run needs one description of the table; creating all of them would take longer than the rest
/// of a short run.
package struct Command<Request: Sendable>: Sendable {
  package let name: String
  package let aliases: [String]
  /// Other words that people type for this command.
  ///
  /// They are suggested and never run.
  let soughtAs: [String]
  private let describe: @Sendable () -> CommandDescription<Request>

  /// Creates a command; `describe` returns its description, the same each time.
  package init(
    _ name: String, aliases: [String] = [], soughtAs: [String] = [],
    describedBy describe: @escaping @Sendable () -> CommandDescription<Request>
  ) {
    self.name = name
    self.aliases = aliases
    self.soughtAs = soughtAs
    self.describe = describe
  }

  /// The inputs, effects and output of the command.
  ///
  /// Created anew each time.
  package var description: CommandDescription<Request> { describe() }

  package var names: [String] { [name] + aliases }

  /// Whether `word` is exactly the name or an alias: no abbreviation, no other case.
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

/// An exit status of a program.
package struct StatusDeclaration: Hashable, Sendable {
  package let code: Int32
  package let meaning: String

  package init(code: Int32, meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}
