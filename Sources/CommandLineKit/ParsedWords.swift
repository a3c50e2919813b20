/// The words of one command line, sorted by option and argument, each of its declared kind, and
/// none missing that must be given.
package struct ParsedWords: Sendable {
  /// The source of a value.
  package enum Origin: Hashable, Sendable {
    case commandLine
    case environment(String)
    case notGiven
  }

  /// The program and the command, by their main names.
  package let path: [String]
  /// The options with a value, and the given flags.
  let options: [Given]
  /// The arguments, by their names.
  let arguments: [Given]

  /// The words for one option or argument.
  struct Given: Sendable {
    /// The long name of the option, or the name of the argument.
    let name: String
    var words: [Word]
    var origin = Origin.commandLine
  }

  /// The value of an option.
  package subscript<Result>(option: Option<Result>) -> Result {
    Self.value(option.read(words(options, option.declaration.long)), option.declaration.usage)
  }

  /// The value of an argument.
  package subscript<Result>(argument: Argument<Result>) -> Result {
    Self.value(argument.read(words(arguments, argument.declaration.name)), argument.declaration.usage)
  }

  /// The source of the value of an option.
  package func origin(of option: some DeclaredOption) -> Origin {
    options.first { $0.name == option.declaration.long }?.origin ?? .notGiven
  }

  private func words(_ all: [Given], _ name: String) -> [Word] {
    all.first { $0.name == name }?.words ?? []
  }

  private static func value<Result>(_ value: Result?, _ usage: String) -> Result {
    guard let value else { preconditionFailure("the parser reports a missing \(usage) of the command") }
    return value
  }
}
