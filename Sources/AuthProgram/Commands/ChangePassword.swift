import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `password`.
struct ChangePasswordCommand: CommandBody {
  let passwordsFromInput: Bool

  static let command = Command<any CommandBody>(
    "password", soughtAs: ["passwd"], summary: "Change your password",
    discussion: [
      "Asks for your current password, and twice for the new one. All your other sessions end.",
      "With --password-stdin the first line of standard input is the current password, the second is the new one. If "
        + "you log in in two steps, the third is a code.",
      "If something fails after the change, the message first says that the password is changed.",
    ],
    options: [passwordsFromInput],
    examples: [
      "password": "asks on the terminal",
      "password --password-stdin < both.passwords": "reads the current and the new password, one line each",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in ChangePasswordCommand(passwordsFromInput: words[passwordsFromInput]) }

  private static let passwordsFromInput = Option.flag(
    "password-stdin", "Read the current and the new password from standard input, one line each")

  /// Asks for the present password, then for the new one; the user's other sessions end.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let store = workspace.store
    let name = try await workspace.session().user.username
    let present: Secret
    let new: Secret
    let renewed: LoggedInSession
    if passwordsFromInput {
      let lines: [Secret]
      (lines, renewed) = try await PasswordQuestion.fromInput(
        ["current password", "new password"], in: store, workspace.printer,
        check: { (lines) throws(SessionError) in try await store.confirm(lines[0]) })
      (present, new) = (lines[0], lines[1])
    } else {
      (present, renewed) = try await PasswordQuestion.onTerminal(
        for: name, in: store, check: { (password) throws(SessionError) in try await store.confirm(password) })
      new = try PasswordQuestion.new(for: name, at: workspace.backend)
    }
    let user = renewed.user
    let fresh = try await workspace.fresh(renewed)
    do throws(CommandError) {
      _ = try await workspace.ask(renewed) { (lease) throws(BackendError) in
        try workspace.backend.changePassword(from: present, to: new, for: fresh, under: lease)
      }
    } catch {
      // The present password was accepted a moment ago.
      guard error == CommandError(code: .wrongPassword) else { throw error }
      throw CommandError(code: .passwordChangedMeanwhile, user.username.escaped)
    }
    // The session goes on under a new token, for which the new password is the proof.
    do throws(CommandError) {
      let result = try await explainedAsync { () throws(SessionError) in try await store.confirm(new) }
      if case .challenged(let challenge) = result {
        store.cancel(challenge)
        throw CommandError(code: .codeMissing)
      }
    } catch {
      // The token that the session had works until another takes its place. So a session that did
      // not end meanwhile is active, whatever failed.
      let isActive = store.session?.user.id == user.id
      throw CommandError(
        code: isActive ? .passwordChangedSessionKept : .passwordChangedSessionEnded, user.username.escaped,
        error.message, user.username)
    }
    let change = "the password of \(TextEscaping.escape(user.username)) is changed"
    return Answer(
      .changed("\(change) and all other sessions are ended", hint: "Use the new password from now on."),
      lines: ["The password of \(user.username.escaped) is changed; all other sessions are ended."],
      ["user": .user(user)])
  }
}
