/// The words of one command line, sorted by option and argument, each of its declared kind.
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
  package let options: [Given]
  /// The arguments, by their names.
  package let arguments: [Given]

  /// The words for one option or argument.
  package struct Given: Sendable {
    /// The long name of the option, or the name of the argument.
    package let name: String
    package var words: [Word]
    package var origin = Origin.commandLine
  }

  /// The value of an option.
  ///
  /// It throws if the option is required and was not given.
  package subscript<Result>(option: Option<Result>) -> Result {
    get throws(UsageError) {
      guard let result = option.read(words(options, option.declaration.long)) else {
        throw UsageError(problem: .missingOption(option.declaration.usage), path: path)
      }
      return result
    }
  }

  /// The value of an argument.
  ///
  /// It throws if the argument is required and was not given.
  package subscript<Result>(argument: Argument<Result>) -> Result {
    get throws(UsageError) {
      guard let result = argument.read(words(arguments, argument.declaration.name)) else {
        throw UsageError(problem: .missingArgument(argument.declaration.name, because: nil), path: path)
      }
      return result
    }
  }

  /// The value of an optional argument that is required when `flag` is given.
  package subscript<Value>(argument: Argument<Value?>, neededBy flag: Option<Bool>) -> Value? {
    get throws(UsageError) {
      let value = try self[argument]
      if value == nil, try self[flag] {
        throw UsageError(
          problem: .missingArgument(argument.declaration.name, because: flag.declaration.flag), path: path)
      }
      return value
    }
  }

  /// The source of the value of an option.
  package func origin(of option: some DeclaredOption) -> Origin {
    options.first { $0.name == option.declaration.long }?.origin ?? .notGiven
  }

  private func words(_ all: [Given], _ name: String) -> [Word] {
    all.first { $0.name == name }?.words ?? []
  }
}
