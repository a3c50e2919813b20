/// The words of one command line, sorted by what they belong to and each of its declared kind.
struct ParsedWords: Sendable {
  /// Where a value came from.
  enum Origin: Hashable, Sendable {
    case commandLine
    case environment(String)
    case notGiven
  }

  /// The program and the command, by their proper names.
  let path: [String]
  /// By the long name of the option.
  let options: [String: [Word]]
  /// By the name of the argument.
  let arguments: [String: [Word]]
  /// Options whose value is that of an environment variable.
  let fromEnvironment: [String: String]

  /// The value of an option.
  ///
  /// Throws when the option had to be given and was not.
  subscript<Result>(option: Option<Result>) -> Result {
    get throws(UsageError) {
      guard let result = option.read(options[option.declaration.long] ?? []) else {
        throw UsageError(problem: .missingOption(option.declaration.usage), path: path)
      }
      return result
    }
  }

  /// The value of an argument.
  ///
  /// Throws when the argument had to be given and was not.
  subscript<Result>(argument: Argument<Result>) -> Result {
    get throws(UsageError) {
      guard let result = argument.read(arguments[argument.declaration.name] ?? []) else {
        throw UsageError(problem: .missingArgument(argument.declaration.name, because: nil), path: path)
      }
      return result
    }
  }

  /// The value of an optional argument that must be there when `flag` is given.
  subscript<Value>(argument: Argument<Value?>, neededBy flag: Option<Bool>) -> Value? {
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
  func origin(of option: some DeclaredOption) -> Origin {
    let name = option.declaration.long
    if let variable = fromEnvironment[name] { return .environment(variable) }
    return options[name] == nil ? .notGiven : .commandLine
  }
}
