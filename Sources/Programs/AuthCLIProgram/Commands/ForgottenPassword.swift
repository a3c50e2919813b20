import AuthAccounts
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `recovery-codes`.
enum RecoveryCodesCommand {
  static let command = Command<CommandBody>(
    "recovery-codes", summary: "Create codes that replace a forgotten password",
    discussion: [
      "Prints ten codes, one on a line, and nothing else on standard output. Each works once: with the command 'recover', "
        + "or in place of a code of your authenticator app. They replace all codes that you created before, and are never "
        + "shown again.",
      "If you have unused codes, it asks before it voids them, unless --yes is given.",
      "\(Confirmation.ofPassword) The codes are also printed with --quiet.",
    ],
    options: [Confirmation.yes],
    examples: [
      "recovery-codes": "shows ten new codes",
      "recovery-codes | lpr": "prints them on paper",
    ]
  ) { _ in .inWorkspace(run) }

  /// Creates ten codes, which replace the old ones.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let session = try await workspace.activeSession()
    let old = try await workspace.store.ask(session, workspace.backend.twoStep(under:)).recoveryCodes
    if old > 0 {
      try Confirmation.ask(words, "You have \(old) unused recovery code\(old == 1 ? "" : "s"). New ones void them.")
    }
    let fresh = try await workspace.makeFresh(session)
    let codes = try await workspace.store.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.makeRecoveryCodes(for: fresh, under: lease)
    }
    let user = fresh.session.user
    let name = TextEscaping.escape(user.username)
    return CommandResult(
      .changed(
        "\(name) has new recovery codes, and the old ones are void", hint: "Make new ones: \(run: "recovery-codes")"),
      text: codes.map { $0.text + "\n" }.joined(),
      ["user": .user(user), "codes": .array(codes.map { .string($0.text) })],
      notes: [
        "Keep them where only you can read them; they are not shown again. All earlier codes are void.",
        "Each works once, if you forgot your password (\(run: "recover", name)) or lost your authenticator app.",
      ])
  }
}

/// `recover [USER]`.
enum RecoverCommand {
  static let command = Command<CommandBody>(
    "recover", soughtAs: ["forgot", "forgotten", "reset"], summary: "Set a new password with a code",
    discussion: [
      "Asks for one of your recovery codes, or for the one-time code that an administrator gave you, and then twice for "
        + "a new password. Case and hyphens in the code do not matter. All your sessions end.",
      "This works even while you must wait after wrong passwords, and while the account is locked. It does not work for "
        + "a disabled account. A wrong code counts as a wrong password.",
      "If you log in in two steps, the second step stays on: the next login also asks for a code.",
      "With --password-stdin the first line of standard input is the code, the second is the new password.",
    ],
    arguments: [forgetful],
    options: [codeAndPasswordFromInput],
    examples: [
      "recover alice": "asks for the code and for a new password, twice",
      "recover alice --password-stdin < code-and.password": "reads both from a file, one line each",
    ],
    statuses: .of(.done, .usage, .cannotTell, .credentials, .throttled)
  ) { _ in .inWorkspace(run) }

  private static let codeAndPasswordFromInput = Option.flag(
    "password-stdin", "Read the code and the new password from standard input, one line each")

  private static let forgetful = Argument.optional(
    "USER", Kinds.localUser, "Your user name; if omitted, you are asked",
    neededBy: codeAndPasswordFromInput)

  private static let secrets = ["code", "new password"]

  /// Sets a new password with a code, and does not log in.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let (backend, fromInput) = (workspace.backend, words[codeAndPasswordFromInput])
    if !fromInput { try explained { () throws(BackendError) in try backend.checkForLogins() } }
    let name = try workspace.username(words[forgetful], "User: ", secrets: secrets)
    let recovered: User
    if fromInput {
      let lines = try workspace.secrets(fromInput: secrets)
      recovered = try backend.setPassword(of: name, with: RecoveryCode(typed: lines[0]), to: Secret(bytes: lines[1]))
    } else {
      // Prompt again only for what cannot be a code. The code is checked together with the new
      // password, so that each guess has the same cost.
      let prompt = try Prompt(for: secrets)
      var code = RecoveryCode(typed: try prompt.ask("Code for \(name): "))
      for _ in 1..<Prompt.attempts where !code.isWellFormed {
        try prompt.say("A code has 25 letters and digits; try again.")
        code = RecoveryCode(typed: try prompt.ask("Code for \(name): "))
      }
      let password = try prompt.newPassword(for: name, backend.check)
      recovered = try withExtendedLifetime(prompt) { () throws(CommandError) in
        try backend.setPassword(of: name, with: code, to: password)
      }
    }
    let shown = TextEscaping.escape(recovered.username)
    return CommandResult(
      .changed(
        "the new password of \(shown) is set and all sessions are ended", hint: "Log in with: \(run: "login", shown)"),
      lines: ["The new password of \(shown) is set; all sessions are ended."], ["user": .user(recovered)],
      notes: ["Log in with: \(run: "login", shown)"])
  }
}

extension Backend {
  /// Sets a new password with a code; its errors are about the code, and not about a password.
  func setPassword(
    of name: String, with code: RecoveryCode, to password: Secret
  ) throws(CommandError) -> User {
    do throws(BackendError) {
      return try recover(username: name, code: code, password: password)
    } catch {
      switch error.kind {
      case .credentials: throw CommandError(code: .wrongRecovery)
      case .throttled(let throttle): throw CommandError(throttle, .throttledRecovery, .lockedRecovery)
      case .invalid, .refused, .challenged, .session, .notFresh, .notPermitted, .unavailable: throw CommandError(error)
      }
    }
  }
}

/// `accounts reset-password USER [--as-owner]`.
enum ResetPasswordCommand {
  static let command = Command<CommandBody>(
    "reset-password", summary: "Create a one-time code for a user who forgot the password",
    discussion: [
      "Prints the code, and nothing else on standard output. The user enters it with 'recover' within an hour. Until "
        + "then the old password and all sessions still work. A newer code voids an older one.",
      Confirmation.ofPassword,
      "If no administrator of the embedded database can log in, use --as-owner: it needs no login, only access to the "
        + "database file, and the event records that the owner did it. At a service, its operator runs "
        + "'auth-service reset-password USER' instead.",
    ],
    arguments: [Arguments.account], options: [asOwner],
    examples: [
      "accounts reset-password bob": "shows a code to give to bob",
      "accounts reset-password alice --as-owner": "shows a code for the only administrator, who forgot the password",
    ]
  ) { _ in .inWorkspace(run) }

  private static let asOwner = Option.flag("as-owner", "Work without a login, as the owner of the embedded database")

  /// Creates a one-time code for `recover`.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let (backend, user) = (workspace.backend, words[Arguments.account])
    let code: OneTimeCode
    var isDisabled = false
    if words[asOwner] {
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
