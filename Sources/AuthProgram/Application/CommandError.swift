import AuthCore

/// Why a command did not do what it was asked: its exit status, a code for programs, and two lines for people.
struct CommandError: Error, Hashable, Sendable {
  let status: ExitStatus
  /// A stable name for programs, in snake case.
  let code: String
  /// What happened and why.
  let message: String
  /// What to do next.
  let hint: String

  init(_ status: ExitStatus, _ code: String, _ message: String, hint: String) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension CommandError {
  static let notLoggedIn = CommandError(
    .logInFirst, "not_logged_in", "nobody is logged in", hint: "Log in first: auth-cli login USER")

  static func ended(_ reason: EndReason) -> CommandError {
    switch reason {
    case .accountDisabled: CommandError(.logInFirst, "account_disabled", reason.clause, hint: reason.hint)
    case .userAsked, .expired, .revoked, .rebooted, .switchedUser, .storeReleased:
      CommandError(.logInFirst, "session_ended", reason.clause, hint: reason.hint)
    }
  }

  static let superseded = CommandError(
    .logInFirst, "session_ended", "this session was replaced by a newer one",
    hint: "Log in again: auth-cli login USER")

  static let notFresh = CommandError(
    .logInFirst, "password_not_recent", "you entered your password too long ago for this",
    hint: "Enter it again: auth-cli reauth, or auth-cli reauth --password-stdin in a script")

  /// Of a login: it is not told which of the two is wrong.
  static let wrongCredentials = CommandError(
    .credentials, "credentials_not_accepted", "the name and the password were not accepted",
    hint: "Check both and try again; after five wrong passwords in a row you must wait.")

  /// Where only a password was asked for.
  static let wrongPassword = CommandError(
    .credentials, "credentials_not_accepted", "wrong password",
    hint: "Try again; after five wrong passwords in a row you must wait.")
}
