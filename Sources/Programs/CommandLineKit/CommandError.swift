import TextFormat

/// The error of a command: its exit status, a code for programs, and a message and a hint for
/// people.
package struct CommandError: Error, Equatable, Sendable {
  package let status: ExitStatus
  /// A stable name for programs, in snake case.
  package let code: String
  /// What happened and why, without what may be a secret in an address.
  package let message: String
  /// What to do next, without what may be a secret in an address.
  package let hint: Hint
  /// The time until the command can be retried, as of the creation of this error; nil if there is
  /// none to wait.
  package let wait: Duration?

  /// Creates an error of a command from its exit status, code, message and hint.
  package init(_ status: ExitStatus, _ code: String, _ message: String, hint: Hint, wait: Duration? = nil) {
    self.status = status
    self.code = code
    self.message = message.hidingSecrets
    self.hint = hint.hidingSecrets
    self.wait = wait
  }

  /// Creates an error of the command line, a prompt or an output stream.
  package init(_ code: LineCode, _ message: String, hint: Hint) {
    self.init(code.status, code.name, message, hint: hint)
  }

  /// The error with the values in place of each `{NAME}`: first in the message, then in the hint.
  package func filled(_ values: [String]) -> CommandError {
    var values = values[...]
    let message = message.filled(from: &values)
    return CommandError(status, code, message, hint: hint.filled(from: &values), wait: wait)
  }

  /// The message, which is a clause, as a sentence of its own.
  package var sentence: String { message.asSentence }

  /// The error with another hint.
  package func withHint(_ hint: Hint) -> CommandError { CommandError(status, code, message, hint: hint, wait: wait) }
}

extension CommandError {
  /// The code of an error of the command line, a prompt or an output stream: its stable name for
  /// programs and, after a colon, what it means, as a clause.
  package enum LineCode: String, CaseIterable, Sendable {
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
    case noTerminal = "no_terminal: there is no terminal to ask for input"
    case nothingEntered = "nothing_entered: nothing was entered, or the question was not answered"
    case timedOut = "timed_out: nothing was entered in time"
    case lineTooLong = "line_too_long: a line is too long"
    case nulInLine = "nul_in_line: a line contains a NUL byte"
    case missingLine = "missing_line: standard input ended before all lines were read"
    case emptyLine = "empty_line: a line of standard input is empty"
    case tooManyLines = "too_many_lines: standard input has more lines than were asked for"
    case unreadableInput = "unreadable_input: the input cannot be read"
    case alreadyAsking = "already_asking: another question is open in this process"
    case outputFailed = "output_failed: the output could not be written"

    package var name: String { String(rawValue.prefix { $0 != ":" }) }
    package var meaning: String { String(rawValue.dropFirst(name.count + 2)) }
    package var status: ExitStatus { [.unreadableInput, .outputFailed].contains(self) ? .cannotTell : .usage }
  }
}
