import TextFormat

/// An error in the command line.
///
/// The program did nothing.
package struct UsageError: Error, Hashable, Sendable {
  /// A stable name for programs.
  package let code: Code
  /// What happened and why, in one line.
  package let message: String
  /// How to read more, in one line.
  package let hint: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The stable name.
  ///   - message: What happened and why.
  ///   - path: The program and the valid part of the command, whose help the hint names.
  ///   - advice: What to do, before that.
  package init(_ code: Code, _ message: String, path: [String], advice: String? = nil) {
    let help = (path.prefix(1) + ["help"] + path.dropFirst()).joined(separator: " ")
    self.init(code, message, hint: [advice, "See '\(help)'."].compactMap(\.self).joined(separator: " "))
  }

  init(_ code: Code, _ message: String, hint: String) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }

  /// No command of `path` has the name `word`; `names` and `sought` may be suggested.
  static func unknownCommand(
    _ word: Word, sought: String? = nil, among names: [String], path: [String], advice: String? = nil
  ) -> UsageError {
    let nearest = suggestion(sought ?? NearestName.find(word, among: names))
    // A mistyped name is repeated. Anything else may be a secret.
    let isLikeName =
      word.bytes.count <= 20 && word.bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
    let typed = isLikeName ? word.quoted : "what you typed"
    return UsageError(
      .unknownCommand, "\(typed) is not a command of '\(path.joined(separator: " "))'" + nearest, path: path,
      advice: advice)
  }

  /// At least one of these options is required, and none is given.
  package static func missing(_ options: [OptionDeclaration], path: [String]) -> UsageError {
    let choice = options.map(\.usage).formattedAsChoice()
    return UsageError(.missingOption, "'\(path.joined(separator: " "))' needs the option \(choice)", path: path)
  }

  /// Only one of two options can be given.
  package static func excluded(_ option: OptionDeclaration, by other: OptionDeclaration, path: [String]) -> UsageError {
    UsageError(.misplacedOption, "'\(option.flag)' cannot be given together with '\(other.flag)'", path: path)
  }

  /// The end of a message: the name that was probably meant, if there is one.
  static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }
}

extension UsageError {
  package enum Code: String, Hashable, NamedCode {
    case unknownCommand = "unknown_command: no command has this name"
    case missingSubcommand = "missing_subcommand: the command needs a subcommand"
    case missingCommand = "missing_command: there is no command"
    case unknownOption = "unknown_option: no command has this option"
    case misplacedOption = "misplaced_option: the option belongs to another command"
    case signedNumber = "signed_number: a number with a sign is where an option could be"
    case repeatedOption = "repeated_option: an option is given twice"
    case unexpectedValue = "unexpected_value: a flag was given a value"
    case missingValue = "missing_value: an option has no value"
    case extraArgument = "extra_argument: too many arguments"
    case malformedValue = "malformed_value: a value does not have the right form"
    case missingOption = "missing_option: a required option is missing"
    case missingArgument = "missing_argument: an argument is missing"
  }
}

/// The code of an error: its stable name for programs and, after a colon, what it means, as a
/// clause.
package protocol NamedCode: RawRepresentable<String>, CaseIterable, Sendable {}

extension NamedCode {
  package var name: String { String(rawValue.prefix { $0 != ":" }) }
  package var meaning: String { String(rawValue.dropFirst(name.count + 2)) }
}
