import TextFormat

// Why a prompt returned no line, or an output stream accepted no text.
extension CommandError {
  private static let again: Hint = "Run the command again; nothing was changed."
  private static let check: Hint = "Check what is entered; nothing was changed."

  /// There is no terminal for the prompt.
  static func noTerminal(for what: String, insteadUse instead: String) -> CommandError {
    CommandError(.noTerminal, "there is no terminal to ask for the \(what)", hint: "Give \(instead).")
  }

  /// The user ended the input (`^D`), or the terminal was closed.
  static let inputEnded = CommandError(
    .nothingEntered, "the input was ended, so nothing was entered", hint: again)

  /// The user pressed Enter alone, each time.
  static let nothingEntered = CommandError(.nothingEntered, "nothing was entered", hint: again)

  /// Nothing was entered in time.
  package static func timedOut(_ limit: Duration) -> CommandError {
    CommandError(.timedOut, "nothing was entered within \(limit.components.seconds) seconds", hint: again)
  }

  /// The line is longer than so many bytes; it is never cut off.
  static func tooLong(limit: Int) -> CommandError {
    CommandError(.lineTooLong, "the line is longer than \(limit) bytes", hint: check)
  }

  /// The line contains a NUL byte, which no secret can contain.
  static let containsNUL = CommandError(.nulInLine, "the line contains a NUL byte", hint: check)

  /// The input ended before this line.
  static func missingLine(of what: String) -> CommandError {
    CommandError(.missingLine, "standard input ends before the \(what)", hint: onOneLine(what))
  }

  /// The line is empty.
  static func emptyLine(of what: String) -> CommandError {
    CommandError(.emptyLine, "the line of standard input for the \(what) is empty", hint: onOneLine(what))
  }

  private static func onOneLine(_ what: String) -> Hint {
    "Write the \(what) on one line of its own; nothing was changed."
  }

  /// The input continues after the last expected line; the expected lines were for these items.
  static func tooManyLines(than names: [String]) -> CommandError {
    CommandError(
      .tooManyLines, "standard input has more lines than the command reads: \(names.joined(separator: ", "))",
      hint: "Write each on one line of its own, and nothing else; nothing was changed.")
  }

  /// The source cannot be read.
  static func unreadable(_ source: String, _ error: ErrorNumber = .current) -> CommandError {
    CommandError(
      .unreadableInput, "\(source) cannot be read: \(error.explanation)",
      hint: "Check where the input comes from; nothing was changed.")
  }

  /// Another prompt is already open in this process.
  static let alreadyAsking = CommandError(.alreadyAsking, "another question is still open", hint: again)

  /// The reader of the output has closed the pipe.
  static let closedPipe = outputFailed("the reader closed the pipe")

  /// The stream is full, closed or broken.
  package static func unwritable(_ stream: String, _ error: Int32) -> CommandError {
    outputFailed("\(stream) cannot be written: \(ErrorNumber(error).explanation)")
  }

  private static func outputFailed(_ message: String) -> CommandError {
    CommandError(
      .outputFailed, message, hint: "Send the output elsewhere, and repeat the command if it only shows something.")
  }
}
