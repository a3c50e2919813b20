import AuthBackend
package import AuthCore
import TextFormat

/// Why a command did not do what it was asked: its exit status, a code for programs, and two lines
/// for people.
package struct CommandError: Error, Equatable, Sendable {
  package let status: ExitStatus
  /// A stable name for programs, in snake case.
  package let code: String
  /// What happened and why.
  package let message: String
  /// What to do next.
  package let hint: Hint
  /// How long it was, when this was made, until the same can be tried again.
  package let wait: Duration?

  /// An error with a code from outside of the table: of the command line, of a backend, of the
  /// library.
  package init(_ status: ExitStatus, _ code: String, _ message: String, hint: Hint, wait: Duration? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
    self.wait = wait
  }

  /// An error of the table, with its values and, where more is known, another hint.
  package init(code error: ErrorCode, _ values: String..., hint: Hint? = nil, wait: Duration? = nil) {
    let row = error.row.filled(values)
    self.init(row.status, row.code, row.message, hint: hint ?? row.hint, wait: wait)
  }

  /// The same error with the values in place of each `{NAME}`: first in the message, then in the
  /// hint.
  package func filled(_ values: [String]) -> CommandError {
    var values = values[...]
    let message = message.filled(from: &values)
    return CommandError(status, code, message, hint: hint.filled(from: &values), wait: wait)
  }

  /// An error whose message a library made.
  package init(code error: ErrorCode, saying sentence: String, hint: Hint) {
    self.init(error.row.status, error.code, sentence.asClause, hint: hint)
  }

  /// Too many attempts; the two errors say of what.
  package init(_ throttle: Throttle, _ wait: ErrorCode = .throttled, _ locked: ErrorCode = .locked) {
    switch throttle {
    case .wait(let time): self.init(code: wait, time.asWait, wait: time)
    case .locked: self.init(code: locked)
    }
  }

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

  /// The same error of a guess after which a wait began; the same where none did.
  package func beginning(_ wait: Duration?) -> CommandError {
    guard let wait else { return self }
    return CommandError(status, code, message, hint: "That was one too many: try again in \(wait.asWait).", wait: wait)
  }

  /// The same error with another thing to do next.
  package func withHint(_ hint: Hint) -> CommandError { CommandError(status, code, message, hint: hint, wait: wait) }
}

extension EndReason {
  /// What happened, as it is printed after "auth-cli: ".
  package var clause: String { description.asClause }
}

extension Duration {
  /// In words: `15 min`.
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

  /// A wait in words, never less than it is: `30 s`, `4 min`.
  package var asWait: String {
    wholeSeconds < 120 ? max(.seconds(1), self).words : Duration.seconds((wholeSeconds + 59) / 60 * 60).words
  }
}
