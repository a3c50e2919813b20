/// Describes a command: plain data, and the one function that turns its parsed words into a
/// request.
package struct CommandDescription<Request: Sendable>: Sendable {
  /// Turns words that fit the declaration into a request.
  package typealias Binding = @Sendable (ParsedWords) throws(UsageError) -> Request

  package let summary: String
  package let arguments: [ArgumentDeclaration]
  package let options: [OptionDeclaration]
  /// Whether an environment variable replaces an option that is not given.
  package let heedsEnvironment: Bool
  package let subcommands: [Command<Request>]
  /// Nil for a command that only groups its subcommands.
  package let request: Binding?
  private let makeDiscussion: @Sendable () -> [String]
  private let makeExamples: @Sendable () -> [Example]
  private let makeStatuses: @Sendable () -> [StatusDeclaration]

  /// Creates a description; the parts for help are created only for help.
  package init(
    summary: String, discussion: @autoclosure @escaping @Sendable () -> [String] = [],
    arguments: [any DeclaredArgument] = [], options: [any DeclaredOption] = [],
    examples: @autoclosure @escaping @Sendable () -> [Example],
    statuses: @autoclosure @escaping @Sendable () -> [StatusDeclaration],
    heedsEnvironment: Bool = true, subcommands: [Command<Request>] = [], request: Binding?
  ) {
    self.summary = summary
    makeDiscussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.options = options.map(\.declaration)
    makeExamples = examples
    makeStatuses = statuses
    self.heedsEnvironment = heedsEnvironment
    self.subcommands = subcommands
    self.request = request
  }

  /// Paragraphs below the usage line.
  package var discussion: [String] { makeDiscussion() }

  package var examples: [Example] { makeExamples() }

  /// The exit statuses of the command.
  ///
  /// A command that only groups subcommands has theirs.
  package var statuses: [StatusDeclaration] {
    let ownStatuses = makeStatuses()
    guard request == nil else { return ownStatuses }
    var all: [StatusDeclaration] = []
    for status in ownStatuses + subcommands.flatMap(\.statuses) where !all.contains(status) { all.append(status) }
    return all.sorted { $0.code < $1.code }
  }
}

/// A command line to try, with its purpose.
package struct Example: Hashable, Sendable {
  /// The words after the program's name, as typed in a shell.
  package let line: String
  package let shows: String

  package init(_ line: String, _ shows: String) {
    self.line = line
    self.shows = shows
  }
}
