/// The words of one command line, sorted by what they belong to and each of its declared kind.
package struct ParsedWords: Sendable {
  /// Where a value came from.
  package enum Origin: Hashable, Sendable {
    case commandLine
    case environment(String)
    case notGiven
  }

  /// The program and the command, by their proper names.
  package let path: [String]
  /// The options that have a value or were given.
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
  /// Throws when the option had to be given and was not.
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
  /// Throws when the argument had to be given and was not.
  package subscript<Result>(argument: Argument<Result>) -> Result {
    get throws(UsageError) {
      guard let result = argument.read(words(arguments, argument.declaration.name)) else {
        throw UsageError(problem: .missingArgument(argument.declaration.name, because: nil), path: path)
      }
      return result
    }
  }

  /// The value of an optional argument that must be there when `flag` is given.
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

  /// Where the value of an option came from.
  package func origin(of option: some DeclaredOption) -> Origin {
    options.first { $0.name == option.declaration.long }?.origin ?? .notGiven
  }

  private func words(_ all: [Given], _ name: String) -> [Word] {
    all.first { $0.name == name }?.words ?? []
  }
}
