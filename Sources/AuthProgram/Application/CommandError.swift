import AuthCore
import CommandLineKit

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

  init(_ code: ErrorCode, _ message: String, hint: Hint, wait: Duration? = nil) {
    self.init(code.status, code.rawValue, message, hint: hint, wait: wait)
  }

  /// An error with a code from outside of the program: of the command line, of a backend, of the
  /// library.
  init(_ status: ExitStatus, _ code: String, _ message: String, hint: Hint, wait: Duration? = nil) {
    parts = Parts(status, code, message, hint, wait)
  }

  /// The same error with another thing to do next.
  func withHint(_ hint: Hint) -> CommandError { CommandError(status, code, message, hint: hint, wait: wait) }

  /// The same error with another sentence for what happened.
  func withMessage(_ message: String) -> CommandError {
    CommandError(status, code, message, hint: hint, wait: wait)
  }

  static func == (one: CommandError, other: CommandError) -> Bool {
    one.status == other.status && one.code == other.code && one.message == other.message && one.hint == other.hint
  }
}

extension CommandError {
  static let notLoggedIn = CommandError(
    .notLoggedIn, "nobody is logged in", hint: "Log in first: \(run: "login", "USER")")

  static let wordsUnreadable = CommandError(
    .cannotTell, PromptError.Code.unreadableInput.rawValue,
    "the words of the command line cannot be read, because the process cannot open /proc/self/maps",
    hint: "Allow it to open more files, such as with 'ulimit -n 1024', and check that /proc is mounted.")

  static func ended(_ reason: EndReason) -> CommandError {
    switch reason {
    case .accountDisabled: CommandError(.accountDisabled, reason.clause, hint: reason.hint)
    case .userAsked, .expired, .revoked, .accountDeleted, .rebooted, .switchedUser, .storeReleased:
      CommandError(.sessionEnded, reason.clause, hint: reason.hint)
    }
  }

  static let superseded = CommandError(
    .sessionEnded, "this session was replaced by a newer one",
    hint: "Log in again: \(run: "login", "USER")")

  static let notFresh = CommandError(
    .passwordNotRecent, "you entered your password too long ago for this",
    hint: "Enter it again: \(run: "reauth"), or \(run: "reauth", "--password-stdin") in a script")

  /// Of a login: it is not told which of the two is wrong.
  static let wrongCredentials = CommandError(
    .credentialsNotAccepted, "the name and the password were not accepted",
    hint:
      "Check both and try again; after five wrong passwords in a row you must wait. Forgotten? \(run: "recover")")

  /// Where only a password was asked for.
  static let wrongPassword = CommandError(
    .credentialsNotAccepted, "wrong password",
    hint: "Try again; after five wrong passwords in a row you must wait.")

  /// The password was right, and nothing more was given.
  static let codeMissing = CommandError(
    .codeMissing, "the password is right, and a code is needed too",
    hint: "In a script, write the code on the line after the password. This was not counted as a wrong guess.")

  /// What a throttle is called where a code was asked for.
  static let throttledCode = "too many wrong passwords or codes, so this one was not checked"

  /// Where a code was asked for.
  static let wrongCode = CommandError(
    .credentialsNotAccepted, "wrong code",
    hint: "Each code works once, for about a minute. Wait for the next one, and check the clock of the device.")
}
