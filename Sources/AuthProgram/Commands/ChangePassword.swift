import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `password`.
struct ChangePasswordCommand: CommandBody {
  let passwordsFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("password", soughtAs: ["passwd"]) {
      .init(
        summary: "Change your password",
        discussion: [
          "Asks for your current password, and twice for the new one. All your other sessions end.",
          "With --password-stdin the first line of standard input is the current password, the second is the new one. If "
            + "you log in in two steps, the third is a code.",
          "If something fails after the change, the message first says that the password is changed.",
        ],
        options: [Options.passwordsFromInput],
        examples: [
          .init("password", "asks on the terminal"),
          .init("password --password-stdin < both.passwords", "reads the current and the new password, one line each"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        ChangePasswordCommand(passwordsFromInput: try words[Options.passwordsFromInput])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.changePassword(passwordsFromInput: passwordsFromInput)
  }
}

extension Options {
  fileprivate static let passwordsFromInput = Option.flag(
    "password-stdin", "Read the current and the new password from standard input, one line each")
}

extension Workspace {
  /// `password`: the present password, then the new one.
  ///
  /// The user's other sessions end.
  func changePassword(passwordsFromInput: Bool) async throws(CommandError) -> Answer {
    let session = try await session()
    let present: Secret
    let new: Secret
    let renewed: LoggedInSession
    if passwordsFromInput {
      let lines: [Secret]
      (lines, renewed) = try await PasswordQuestion.fromInput(
        ["current password", "new password"], in: store, printer,
        check: { (lines) throws(SessionError) in try await reauthenticate(lines[0]) })
      (present, new) = (lines[0], lines[1])
    } else {
      (present, renewed) = try await PasswordQuestion.onTerminal(
        for: session.user.username, in: store,
        check: { (password) throws(SessionError) in try await reauthenticate(password) })
      new = try newPassword(for: session.user.username)
    }
    let fresh = try await fresh(renewed)
    do throws(CommandError) {
      _ = try await ask(renewed) { (lease) throws(BackendError) in
        try backend.changePassword(from: present, to: new, for: fresh, under: lease)
      }
    } catch {
      // The present password was accepted a moment ago.
      guard error == CommandError(code: .wrongPassword) else { throw error }
      throw CommandError(code: .passwordChangedMeanwhile, session.user.username.escaped)
    }
    // The session goes on under a new token, for which the new password is the proof.
    let result: LoginResult
    do throws(SessionError) {
      result = try await reauthenticate(new)
    } catch {
      throw changed(for: renewed.user, but: CommandError(error))
    }
    if case .challenged(let challenge) = result {
      store.cancel(challenge)
      throw changed(for: renewed.user, but: CommandError(code: .codeMissing))
    }
    let change = "the password of \(TextEscaping.escape(session.user.username)) is changed"
    return Answer(
      .changed("\(change) and all other sessions are ended", hint: "Use the new password from now on."),
      lines: ["The password of \(escaping: session.user.username) is changed; all other sessions are ended."],
      ["user": .user(session.user)])
  }

  /// What is true when the password is changed and this session could not be renewed with it.
  ///
  /// The token that the session had works until another takes its place. So a session that did not
  /// end meanwhile goes on, whatever failed.
  private func changed(for user: User, but failure: CommandError) -> CommandError {
    let isOver = store.session?.user.id != user.id
    return CommandError(
      code: isOver ? .passwordChangedSessionEnded : .passwordChangedSessionKept, user.username.escaped, failure.message,
      user.username)
  }
}
