/// What a command takes, does and shows: plain data, and the one function that turns its parsed words into a request.
struct CommandDescription<Request: Sendable>: Sendable {
  /// Makes a request of words that fit the declaration.
  typealias Binding = @Sendable (ParsedWords) throws(UsageError) -> Request

  let summary: String
  /// Paragraphs below the usage line.
  let discussion: [String]
  let arguments: [ArgumentDeclaration]
  let options: [OptionDeclaration]
  let examples: [Example]
  /// The statuses it can end with.
  let statuses: [StatusDeclaration]
  /// Whether a variable stands in for an option that is not given.
  let heedsEnvironment: Bool
  let subcommands: [Command<Request>]
  /// Nil for a command that only groups its subcommands.
  let request: Binding?

  init(
    summary: String, discussion: [String] = [], arguments: [any DeclaredArgument] = [],
    options: [any DeclaredOption] = [], examples: [Example], statuses: [StatusDeclaration],
    heedsEnvironment: Bool = true, subcommands: [Command<Request>] = [], request: Binding?
  ) {
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.options = options.map(\.declaration)
    self.examples = examples
    self.statuses = statuses
    self.heedsEnvironment = heedsEnvironment
    self.subcommands = subcommands
    self.request = request
  }
}

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
