import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

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
      ("recover alice", "asks for the code and for a new password, twice"),
      ("recover alice --password-stdin < code-and.password", "reads both from a file, one line each"),
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
