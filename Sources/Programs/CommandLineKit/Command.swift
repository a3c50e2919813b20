/// One command: its names, its inputs, effects and output, and the one function that turns its
/// parsed words into a request.
package struct Command<Request: Sendable>: Sendable {
  /// Turns words that fit the declaration into a request.
  package typealias Binding = @Sendable (ParsedWords) throws(CommandError) -> Request

  package let name: String
  package let aliases: [String]
  /// Other words that people type for this command.
  ///
  /// They are suggested and never run.
  package let soughtAs: [String]
  package let summary: String
  /// Paragraphs below the usage line.
  package let discussion: [String]
  package let arguments: [ArgumentDeclaration]
  package let options: [OptionDeclaration]
  /// Command lines to try, each with its purpose.
  package let examples: [Example]
  /// The exit statuses of the command; an empty list means every status of the program.
  let statuses: [Int32]
  /// Whether an environment variable replaces an option that is not given.
  package let heedsEnvironment: Bool
  package let subcommands: [Command]
  /// Nil for a command that only groups its subcommands.
  package let request: Binding?

  /// Creates a command.
  package init(
    _ name: String, aliases: [String] = [], soughtAs: [String] = [], summary: String,
    discussion: [String] = [], arguments: [any DeclaredArgument] = [], options: [any DeclaredOption] = [],
    examples: KeyValuePairs<String, String>, statuses: [Int32] = [], heedsEnvironment: Bool = true,
    subcommands: [Command] = [], request: Binding?
  ) {
    self.name = name
    self.aliases = aliases
    self.soughtAs = soughtAs
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.options = options.map(\.declaration)
    self.examples = examples.map { ($0.key, $0.value) }
    self.statuses = statuses
    self.heedsEnvironment = heedsEnvironment
    self.subcommands = subcommands
    self.request = request
  }

  package var names: [String] { [name] + aliases }
}
