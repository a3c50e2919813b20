import AuthCore
import AuthMessages
import TextFormat

/// Why a command did not do what it was asked: its exit status, a code for programs, and two lines
/// for people.
struct CommandError: Error, Equatable, Sendable {
  /// Behind one pointer, because every function on its way hands it on.
  private final class Parts: Sendable {
    let status: ExitStatus
    let code: String
    let message: String
    let hint: Hint
    let wait: Duration?

    init(_ status: ExitStatus, _ code: String, _ message: String, _ hint: Hint, _ wait: Duration?) {
      self.wait = wait
      self.status = status
      self.code = code
      self.message = message
      self.hint = hint
    }
  }

  private let parts: Parts

  var status: ExitStatus { parts.status }
  /// A stable name for programs, in snake case.
  var code: String { parts.code }
  /// What happened and why.
  var message: String { parts.message }
  /// What to do next.
  var hint: Hint { parts.hint }
  /// How long it was, when this was made, until the same can be tried again.
  var wait: Duration? { parts.wait }

  /// An error of the table, with its values and, where more is known, another hint.
  init(code error: ErrorCode, _ values: String..., hint: Hint? = nil, wait: Duration? = nil) {
    let row = error.row
    let words = row.filled(values)
    self.init(row.status, error.code, words.message, hint: hint ?? words.hint, wait: wait)
  }

  /// An error whose message a library made.
  init(code error: ErrorCode, saying sentence: String, hint: Hint) {
    self.init(error.row.status, error.code, sentence.asClause, hint: hint)
  }

  /// An error with a code from outside of the program: of the command line, of a backend, of the
  /// library.
  init(_ status: ExitStatus, _ code: String, _ message: String, hint: Hint, wait: Duration? = nil) {
    parts = Parts(status, code, message, hint, wait)
  }

  /// The same error with another thing to do next.
  func withHint(_ hint: Hint) -> CommandError { CommandError(status, code, message, hint: hint, wait: wait) }

  static func == (one: CommandError, other: CommandError) -> Bool {
    one.status == other.status && one.code == other.code && one.message == other.message && one.hint == other.hint
  }
}

extension CommandError {
  static func ended(_ reason: EndReason) -> CommandError {
    let error: ErrorCode =
      switch reason {
      case .accountDisabled: .accountDisabled
      case .accountDeleted: .accountDeleted
      case .userAsked, .expired, .revoked, .rebooted, .switchedUser, .storeReleased: .sessionEnded
      }
    return CommandError(code: error, reason.clause)
  }

  /// Too many attempts; the two errors say of what.
  init(_ throttle: Throttle, _ wait: ErrorCode = .throttled, _ locked: ErrorCode = .locked) {
    switch throttle {
    case .wait(let time): self.init(code: wait, Deadlines.wait(time), wait: time)
    case .locked: self.init(code: locked)
    }
  }
}
