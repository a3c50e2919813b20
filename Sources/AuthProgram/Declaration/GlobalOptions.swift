import AuthDevice
import CommandLineKit

/// The options that every command takes.
struct GlobalOptions: Hashable, Sendable {
  /// Results and refusals as JSON.
  let json: Bool
  /// No messages.
  let quiet: Bool
  /// No colour, whatever the terminal can do.
  let noColor: Bool
  /// The name of the session to use, or nil for the standard one.
  let context: ContextName?
  /// The environment variable that chose the context, to be shown: it holds for this run and is
  /// never written.
  let contextVariable: String?

  init(_ words: ParsedWords) {
    json = words[Options.json]
    quiet = words[Options.quiet]
    noColor = words[Options.noColor]
    context = words[Options.context]
    if case .environment(let variable) = words.origin(of: Options.context) {
      contextVariable = variable
    } else {
      contextVariable = nil
    }
  }

  static let declarations = [
    Options.json.declaration, Options.quiet.declaration, Options.context.declaration, Options.noColor.declaration,
  ]
}
