/// One command: its names, its inputs, effects and output, and the one function that turns its
/// parsed words into a request.
///
/// All but the names and the summary is created on request, and anew each time. A run needs one
/// command of the table; creating all of them would take longer than the rest of a short run.
package struct Command<Request: Sendable>: Sendable {
  /// Turns words that fit the declaration into a request.
  package typealias Binding = @Sendable (ParsedWords) throws(UsageError) -> Request

  package let name: String
  package let aliases: [String]
  /// Other words that people type for this command.
  ///
  /// They are suggested and never run.
  let soughtAs: [String]
  package let summary: String
  /// Whether an environment variable replaces an option that is not given.
  package let heedsEnvironment: Bool
  /// Nil for a command that only groups its subcommands.
  package let request: Binding?
  private let makeDiscussion: @Sendable () -> [String]
  private let makeArguments: @Sendable () -> [any DeclaredArgument]
  private let makeOptions: @Sendable () -> [any DeclaredOption]
  private let makeExamples: @Sendable () -> KeyValuePairs<String, String>
  private let makeStatuses: @Sendable () -> [Int32]
  private let makeSubcommands: @Sendable () -> [Command]

  /// Creates a command.
  package init(
    _ name: String, aliases: [String] = [], soughtAs: [String] = [], summary: String,
    discussion: @autoclosure @escaping @Sendable () -> [String] = [],
    arguments: @autoclosure @escaping @Sendable () -> [any DeclaredArgument] = [],
    options: @autoclosure @escaping @Sendable () -> [any DeclaredOption] = [],
    examples: @autoclosure @escaping @Sendable () -> KeyValuePairs<String, String>,
    statuses: @autoclosure @escaping @Sendable () -> [Int32] = [],
    heedsEnvironment: Bool = true, subcommands: @autoclosure @escaping @Sendable () -> [Command] = [],
    request: Binding?
  ) {
    self.name = name
    self.aliases = aliases
    self.soughtAs = soughtAs
    self.summary = summary
    self.heedsEnvironment = heedsEnvironment
    self.request = request
    makeDiscussion = discussion
    makeArguments = arguments
    makeOptions = options
    makeExamples = examples
    makeStatuses = statuses
    makeSubcommands = subcommands
  }

  package var names: [String] { [name] + aliases }

  /// Paragraphs below the usage line.
  package var discussion: [String] { makeDiscussion() }

  package var arguments: [ArgumentDeclaration] { makeArguments().map(\.declaration) }

  package var options: [OptionDeclaration] { makeOptions().map(\.declaration) }

  /// Command lines to try, each with its purpose.
  package var examples: [Example] { makeExamples().map { ($0.key, $0.value) } }

  package var subcommands: [Command] { makeSubcommands() }

  /// The exit statuses of the command; an empty list means every status of the program.
  var statuses: [Int32] { makeStatuses() }
}
