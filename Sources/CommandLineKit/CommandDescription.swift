/// What a command takes, does and shows: plain data, and the one function that turns its parsed
/// words into a request.
package struct CommandDescription<Request: Sendable>: Sendable {
  /// Makes a request of words that fit the declaration.
  package typealias Binding = @Sendable (ParsedWords) throws(UsageError) -> Request

  package let summary: String
  /// Paragraphs below the usage line.
  package let discussion: [String]
  package let arguments: [ArgumentDeclaration]
  package let options: [OptionDeclaration]
  package let examples: [Example]
  private let ownStatuses: [StatusDeclaration]
  /// Whether a variable is read for an option that is not given.
  package let heedsEnvironment: Bool
  package let subcommands: [Command<Request>]
  /// Nil for a command that only groups its subcommands.
  package let request: Binding?

  package init(
    summary: String, discussion: [String] = [], arguments: [any DeclaredArgument] = [],
    options: [any DeclaredOption] = [], examples: [Example], statuses: [StatusDeclaration],
    heedsEnvironment: Bool = true, subcommands: [Command<Request>] = [], request: Binding?
  ) {
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.options = options.map(\.declaration)
    self.examples = examples
    ownStatuses = statuses
    self.heedsEnvironment = heedsEnvironment
    self.subcommands = subcommands
    self.request = request
  }

  /// The statuses it can end with.
  ///
  /// A command that only groups its subcommands ends as they do.
  package var statuses: [StatusDeclaration] {
    guard request == nil else { return ownStatuses }
    var all: [StatusDeclaration] = []
    for status in ownStatuses + subcommands.flatMap(\.statuses) where !all.contains(status) { all.append(status) }
    return all.sorted { $0.code < $1.code }
  }
}

/// A command line to try, and what it shows.
package struct Example: Hashable, Sendable {
  /// The words after the program's name, as one would type them in a shell.
  package let line: String
  package let shows: String

  package init(_ line: String, _ shows: String) {
    self.line = line
    self.shows = shows
  }
}
