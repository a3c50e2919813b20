import TextFormat

/// Why a prompt did not return a line.
package enum PromptError: Error, Hashable, Sendable {
  /// There is no terminal for the prompt.
  case noTerminal(for: String, insteadUse: String)
  /// The user ended the input (`^D`) or the terminal was closed.
  case cancelled
  /// Nothing was entered in time.
  case timedOut(Duration)
  /// The line is longer than the limit; it is never cut off.
  case tooLong(limit: Int)
  /// The line contains a NUL byte, which no secret can contain.
  case containsNUL
  /// The input ended before this line.
  case missingLine(of: String)
  /// The line is empty.
  case emptyLine(of: String)
  /// The input continues after the last expected line; the expected lines were for these items.
  case tooManyLines(than: [String])
  /// The source cannot be read; `errno` is the error number.
  case unreadable(source: String, errno: Int32)
  /// Another prompt is already open in this process.
  case alreadyAsking

  /// What happened and why, in one line.
  package var message: String { entry.message }

  /// What to do about it, in one line.
  package var hint: String { entry.hint }

  /// A stable name for programs.
  package var code: PromptError.Code { entry.code }

  private var entry: (code: Code, message: String, hint: String) {
    let again = "Run the command again; nothing was changed."
    let check = "Check what is entered; nothing was changed."
    func write(_ line: String) -> String { "Write the \(line) on one line of its own; nothing was changed." }
    return switch self {
    case .noTerminal(let what, let instead):
      (.noTerminal, "there is no terminal to ask for the \(what)", "Give it \(instead).")
    case .cancelled: (.nothingEntered, "the input was ended, so nothing was entered", again)
    case .timedOut(let limit):
      (.timedOut, "nothing was entered within \(limit.components.seconds) seconds", again)
    case .tooLong(let limit): (.lineTooLong, "the line is longer than \(limit) bytes", check)
    case .containsNUL: (.nulInLine, "the line contains a NUL byte", check)
    case .missingLine(let what): (.missingLine, "standard input ends before the \(what)", write(what))
    case .emptyLine(let what): (.emptyLine, "the line of standard input for the \(what) is empty", write(what))
    case .tooManyLines(let names):
      (
        .tooManyLines, "standard input has more lines than \(names.map { "a \($0)" }.joined(separator: " and "))",
        "Write each on one line of its own, and nothing else; nothing was changed."
      )
    case .unreadable(let source, let number):
      (
        .unreadableInput, "\(source) cannot be read: \(ErrorNumber(number).explanation)",
        "Check where the input comes from; nothing was changed."
      )
    case .alreadyAsking: (.alreadyAsking, "another question is still open", again)
    }
  }
}

extension PromptError {
  package enum Code: String, Hashable, NamedCode {
    case noTerminal = "no_terminal: there is no terminal to ask for input"
    case nothingEntered = "nothing_entered: the question was not answered"
    case timedOut = "timed_out: nothing was entered in time"
    case lineTooLong = "line_too_long: a line is too long"
    case nulInLine = "nul_in_line: a NUL byte in a password"
    case missingLine = "missing_line: standard input ended before a password or a code"
    case emptyLine = "empty_line: a password on standard input is empty"
    case tooManyLines = "too_many_lines: standard input has more lines than were asked for"
    case unreadableInput = "unreadable_input: the input cannot be read"
    case alreadyAsking = "already_asking: another question is open in this process"
  }
}
