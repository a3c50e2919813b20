import AuthAccounts
package import AuthCore
import AuthDevice
package import CommandLineKit
import TextFormat

extension ExitStatus {
  /// The answer is no.
  package static let no = ExitStatus(rawValue: 1)
  /// A session is needed first, or a password entered more recently.
  package static let logInFirst = ExitStatus(rawValue: 4)
  /// The credentials were checked and not accepted.
  package static let credentials = ExitStatus(rawValue: 5)
  /// Too many attempts: the credentials were not checked.
  package static let throttled = ExitStatus(rawValue: 6)
}

extension Hint {
  /// The line as `auth-cli` prints it in a run with these options, which chose the context.
  package func text(with options: [String], width: Int? = nil) -> String {
    text(of: "auth-cli", with: options, width: width)
  }
}

extension Hint {
  /// The line with the name of the session's user in its commands, if it is known.
  package func naming(_ user: String?) -> Hint {
    guard let user else { return self }
    return naming(user, in: [["login"], ["recover"], ["accounts", "enable"], ["accounts", "unlock"]])
  }
}

extension Hint: CustomStringConvertible {
  /// The line for a run in which nobody named a context.
  package var description: String { text(with: []) }
}

extension CommandError {
  /// Creates an error of the table from its values; `hint` replaces the hint of the table.
  package init(code error: ErrorCode, _ values: String..., hint: Hint? = nil, wait: Duration? = nil) {
    let row = error.row.filled(values)
    self.init(row.status, row.code, row.message, hint: hint ?? row.hint, wait: wait)
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

  /// The error with the name of the session's user in the commands of its hint.
  ///
  /// Only for a name that the database or the session file has: what somebody typed at a login may
  /// be a password.
  package func naming(_ user: String?) -> CommandError { withHint(hint.naming(user)) }

  /// Whether a password or a code was wrong.
  package var isOfWrongGuess: Bool { code == ErrorCode.wrongPassword.code }

  /// The error with the wait that began with this wrong guess; unchanged if none began.
  package func beginning(_ wait: Duration?) -> CommandError {
    guard let wait else { return self }
    return CommandError(status, code, message, hint: "That was one too many: try again in \(wait.asWait).", wait: wait)
  }
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
