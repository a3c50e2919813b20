/// One command: plain data, and the one function that turns its parsed words into a request of the program.
struct Command<Request: Sendable>: Sendable {
  /// A command line to try, and what it shows.
  struct Example: Hashable, Sendable {
    /// The words after the program's name, as one would type them in a shell.
    let line: String
    let shows: String

    init(_ line: String, _ shows: String) {
      self.line = line
      self.shows = shows
    }
  }

  /// Makes a request of words that fit the declaration.
  typealias Binding = @Sendable (ParsedWords) throws(UsageError) -> Request

  let name: String
  let aliases: [String]
  let summary: String
  /// Paragraphs below the usage line.
  let discussion: [String]
  let arguments: [ArgumentDeclaration]
  let options: [OptionDeclaration]
  let examples: [Example]
  /// The statuses it can end with.
  let statuses: [StatusDeclaration]
  let subcommands: [Command]
  /// Nil for a command that only groups its subcommands.
  let request: Binding?

  init(
    _ name: String, aliases: [String] = [], summary: String, discussion: [String] = [],
    arguments: [any DeclaredArgument] = [], options: [any DeclaredOption] = [], examples: [Example],
    statuses: [StatusDeclaration], subcommands: [Command] = [], request: Binding?
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.options = options.map(\.declaration)
    self.examples = examples
    self.statuses = statuses
    self.subcommands = subcommands
    self.request = request
  }

  /// The name and the aliases.
  var names: [String] { [name] + aliases }
}

/// A status that a program can end with.
struct StatusDeclaration: Hashable, Sendable {
  let code: Int32
  let meaning: String
}
