import AuthCore
import AuthLocal

extension Workspace {
  /// `password`: the present password, then the new one.
  ///
  /// The user's other sessions end.
  func changePassword(passwordsFromInput: Bool) async throws(Refusal) -> Answer {
    let session = try await session()
    let new: Password
    let renewed: LoggedInSession
    if passwordsFromInput {
      let lines = try PasswordQuestion.lines(["present password", "new password"])
      new = Password(bytes: lines[1])
      renewed = try await reauthenticated(Password(bytes: lines[0]))
    } else {
      renewed = try await PasswordQuestion.onTerminal(for: session.user.username) {
        (password) throws(SessionFailure) in try await store.reauthenticate(password: password)
      }
      new = try PasswordQuestion.new(for: session.user.username)
    }
    let fresh = try await fresh(renewed)
    _ = try ask(renewed) { (lease) throws(LocalFailure) in
      try authority.changePassword(to: new, for: fresh, under: lease)
    }
    // The session goes on under a new token, for which the new password is the proof.
    _ = try await reauthenticated(new)
    return Answer(
      lines: ["The password of \(escaping: session.user.username) is changed; all other sessions are ended."],
      ["user": .user(session.user)])
  }

  private func reauthenticated(_ password: Password) async throws(Refusal) -> LoggedInSession {
    do throws(SessionFailure) {
      return try await store.reauthenticate(password: password)
    } catch {
      throw Refusal(error)
    }
  }
}
