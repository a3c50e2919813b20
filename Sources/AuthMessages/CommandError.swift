import AuthBackend
package import AuthCore
import TextFormat

/// The error of a command: its exit status, a code for programs, and a message and a hint for
/// people.
package struct CommandError: Error, Equatable, Sendable {
  package let status: ExitStatus
  /// A stable name for programs, in snake case.
  package let code: String
  /// What happened and why.
  package let message: String
  /// What to do next.
  package let hint: Hint
  /// The time until the command can be retried, as of the creation of this error; nil if there is
  /// none to wait.
  package let wait: Duration?

  /// Creates an error that is not in the table of ``ErrorCode``: of the command line, a backend or
  /// the library.
  package init(_ status: ExitStatus, _ code: String, _ message: String, hint: Hint, wait: Duration? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
    self.wait = wait
  }

  /// Creates an error of the table from its values; `hint` replaces the hint of the table.
  package init(code error: ErrorCode, _ values: String..., hint: Hint? = nil, wait: Duration? = nil) {
    let row = error.row.filled(values)
    self.init(row.status, row.code, row.message, hint: hint ?? row.hint, wait: wait)
  }

  /// The error with the values in place of each `{NAME}`: first in the message, then in the hint.
  package func filled(_ values: [String]) -> CommandError {
    var values = values[...]
    let message = message.filled(from: &values)
    return CommandError(status, code, message, hint: hint.filled(from: &values), wait: wait)
  }

  /// Creates an error with the status and code of the table, and the message of a library.
  package init(code error: ErrorCode, saying sentence: String, hint: Hint) {
    self.init(error.row.status, error.code, sentence.asClause, hint: hint)
  }

  /// Creates the error for too many attempts: `wait` if they end with time, otherwise `locked`.
  package init(_ throttle: Throttle, _ wait: ErrorCode = .throttled, _ locked: ErrorCode = .locked) {
    switch throttle {
    case .wait(let time): self.init(code: wait, time.asWait, wait: time)
    case .locked: self.init(code: locked)
    }
  }

  /// The error for a session that has ended.
  package static func ended(_ reason: EndReason) -> CommandError {
    let error: ErrorCode =
      switch reason.kind {
      case .accountDisabled: .accountDisabled
      case .accountDeleted: .accountDeleted
      case .userAsked, .expired, .revoked, .rebooted, .switchedUser, .interrupted, .storeReleased: .sessionEnded
      }
    return CommandError(code: error, reason.clause)
  }

  /// The message, which is a clause, as a sentence of its own.
  package var sentence: String { message.asSentence }

  /// Whether a password or a code was wrong.
  package var isOfWrongGuess: Bool { code == ErrorCode.wrongPassword.code }

  /// The error with the wait that began with this wrong guess; unchanged if none began.
  package func beginning(_ wait: Duration?) -> CommandError {
    guard let wait else { return self }
    return CommandError(status, code, message, hint: "That was one too many: try again in \(wait.asWait).", wait: wait)
  }

  /// The error with another hint.
  package func withHint(_ hint: Hint) -> CommandError { CommandError(status, code, message, hint: hint, wait: wait) }
}

extension EndReason {
  /// What happened, as it is printed after "auth-cli: ".
  package var clause: String { description.asClause }
}

extension Duration {
  /// The duration in words: `15 min`.
  package var words: String {
    let (seconds, minutes) = (wholeSeconds, (wholeSeconds + 30) / 60)
    return switch seconds {
    case ..<0: "over"
    case ..<120: "\(seconds) s"
    case ..<7200: "\(minutes) min"
    case _ where minutes.isMultiple(of: 60): "\(minutes / 60) h"
    case _: "\(minutes / 60) h \(minutes % 60) min"
    }
  }

  /// The duration in words, rounded up, so that nobody retries too early: `30 s`, `4 min`.
  package var asWait: String {
    wholeSeconds < 120 ? max(.seconds(1), self).words : Duration.seconds((wholeSeconds + 59) / 60 * 60).words
  }
}
