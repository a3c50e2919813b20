import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `accounts reset-password USER [--as-owner]`.
struct ResetPasswordCommand: CommandBody {
  let user: Username
  let isAsOwner: Bool

  static let command = Command<any CommandBody>(
    "reset-password", summary: "Make a one-time code for a user who forgot the password",
    discussion: [
      "Prints the code, and nothing else on standard output. The user enters it with 'recover' within an hour. Until "
        + "then the old password and all sessions still work. A newer code voids an older one.",
      "Needs a password that you entered recently, and asks for it on a terminal. Use --as-owner when no "
        + "administrator of the embedded database can log in: you need no login, only the database file, and the event "
        + "says so. At a service, its operator runs 'auth-service reset-password USER' instead.",
    ],
    arguments: [Arguments.account], options: [Options.asOwner],
    examples: [
      ("accounts reset-password bob", "shows a code to give to bob"),
      ("accounts reset-password alice --as-owner", "helps the only administrator in again"),
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in ResetPasswordCommand(user: words[Arguments.account], isAsOwner: words[Options.asOwner]) }

  /// Makes a one-time code, which `recover` takes.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let backend = workspace.backend
    let code: OneTimeCode
    var isDisabled = false
    if isAsOwner {
      code = try explained { () throws(BackendError) in try backend.resetPasswordAsOwner(of: user) }
    } else {
      code = try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
        isDisabled = try backend.account(named: user, for: administrator, under: lease).isDisabled
        return try backend.resetPassword(of: user, for: administrator, fresh, under: lease)
      }
    }
    let shown = TextEscaping.escape(code.user.username)
    return workspace.issued(
      code,
      effect: .changed(
        "a one-time code for \(shown) is made", hint: "Make another: \(run: "accounts", "reset-password", shown)"),
      notes: isDisabled
        ? ["The account is disabled, and the code is accepted once you enable it: \(run: "accounts", "enable", shown)"]
        : [])
  }
}

extension Options {
  static let asOwner = Option.flag(
    "as-owner", "Without a login, because the embedded database is yours")
}
