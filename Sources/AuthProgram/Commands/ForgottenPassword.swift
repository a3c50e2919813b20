import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `recovery-codes`.
struct RecoveryCodesCommand: CommandBody {
  static let command = Command<any CommandBody>(
    "recovery-codes", summary: "Make codes for the day you forget your password",
    discussion: [
      "Prints ten codes, one on a line, and nothing else on standard output. Each works once: with the command 'recover', "
        + "or in place of a code of your authenticator app. They replace all codes that you made before, and are never "
        + "shown again.",
      "Needs a password that you entered recently, and asks for it on a terminal. The codes are "
        + "also printed with --quiet.",
    ],
    examples: [
      "recovery-codes": "shows ten new codes",
      "recovery-codes | lpr": "prints them on paper",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { _ in RecoveryCodesCommand() }

  /// Makes ten codes in place of the old.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let fresh = try await workspace.fresh(try await workspace.activeSession())
    let codes = try await workspace.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.makeRecoveryCodes(for: fresh, under: lease)
    }
    let user = fresh.session.user
    let name = TextEscaping.escape(user.username)
    workspace.printCodes(codes)
    return Answer(
      .changed(
        "\(name) has new recovery codes, and the old ones are void", hint: "Make new ones: \(run: "recovery-codes")"),
      ["user": .user(user), "codes": .array(codes.map { .string($0.text) })],
      notes: [
        "Keep them where only you can read them; they are not shown again. All earlier codes are void.",
        "Each works once, if you forgot your password (\(run: "recover", name)) or lost your authenticator app.",
      ])
  }
}

/// `recover [USER]`.
struct RecoverCommand: CommandBody {
  let user: String?
  let fromInput: Bool

  static let command = Command<any CommandBody>(
    "recover", soughtAs: ["forgot", "forgotten", "reset"], summary: "Set a new password with a code",
    discussion: [
      "Takes one of your recovery codes, or the one-time code that an administrator gave you, and asks twice for a new "
        + "password. Case and hyphens in the code do not matter. All your sessions end.",
      "This works while you must wait after wrong passwords, and while the account is locked. It does not open a "
        + "disabled account. A wrong code counts as a wrong password.",
      "The code does not turn off a second step: the next login still asks for its code.",
      "With --password-stdin the first line of standard input is the code, the second is the new password.",
    ],
    arguments: [forgetful],
    options: [codeAndPasswordFromInput],
    examples: [
      "recover alice": "asks for the code and for a new password, twice",
      "recover alice --password-stdin < code-and.password": "reads both from a file, one line each",
    ],
    statuses: .of(.done, .usage, .cannotTell, .credentials, .throttled)
  ) { words in
    RecoverCommand(
      user: words[forgetful],
      fromInput: words[codeAndPasswordFromInput])
  }

  private static let codeAndPasswordFromInput = Option.flag(
    "password-stdin", "Read the code and the new password from standard input, one line each")

  private static let forgetful = Argument.optional(
    "USER", Kinds.localUser, "Your user name; if omitted, you are asked",
    neededBy: codeAndPasswordFromInput)

  /// Nobody is logged in by it.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let backend = workspace.backend
    if !fromInput { try explained { () throws(BackendError) in try backend.checkForLogins() } }
    let name = try workspace.username(user, "User: ")
    let set: (RecoveryCode, Secret) throws(CommandError) -> User = { (code, password) throws(CommandError) in
      do throws(BackendError) {
        return try backend.recover(username: name, code: code, password: password)
      } catch {
        throw CommandError(recovery: error)
      }
    }
    let recovered: User
    if fromInput {
      let lines = try PasswordQuestion.lines(["code", "new password"])
      recovered = try set(RecoveryCode(typed: lines[0]), Secret(bytes: lines[1]))
    } else {
      recovered = try PasswordQuestion.codeAndNewPassword(for: name, at: backend, use: set)
    }
    let shown = TextEscaping.escape(recovered.username)
    return Answer(
      .changed(
        "the new password of \(shown) is set and all sessions are ended", hint: "Log in with: \(run: "login", shown)"),
      lines: ["The new password of \(shown) is set; all sessions are ended."], ["user": .user(recovered)],
      notes: ["Log in with: \(run: "login", shown)"])
  }
}

extension CommandError {
  /// Why a code set no new password.
  init(recovery error: BackendError) {
    switch error.kind {
    case .credentials: self.init(code: .wrongRecovery)
    case .throttled(let throttle): self.init(throttle, .throttledRecovery, .lockedRecovery)
    case .invalid, .refused, .challenged, .session, .notFresh, .notPermitted, .unavailable: self.init(error)
    }
  }
}

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
    arguments: [Arguments.account], options: [asOwner],
    examples: [
      "accounts reset-password bob": "shows a code to give to bob",
      "accounts reset-password alice --as-owner": "helps the only administrator in again",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in ResetPasswordCommand(user: words[Arguments.account], isAsOwner: words[asOwner]) }

  private static let asOwner = Option.flag(
    "as-owner", "Without a login, because the embedded database is yours")

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
