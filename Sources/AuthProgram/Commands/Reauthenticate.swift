import AuthBackend
import AuthCore
import CommandLineKit

extension Workspace {
  /// `reauth`: the password again, which makes the session fresh.
  func reauthenticate(passwordFromInput: Bool) async throws(CommandError) -> Answer {
    let session = try await session()
    let check: (Password) async throws(SessionError) -> LoggedInSession = { (password) throws(SessionError) in
      try await self.reauthenticate(password)
    }
    let renewed =
      passwordFromInput
      ? try await PasswordQuestion.fromInput(check: check)
      : try await PasswordQuestion.onTerminal(for: session.user.username, check: check)
    let deadlines = try Deadlines(clock: backend.clock)
    return Answer(
      .changed("the password was accepted and the session is renewed", hint: "Look with: auth-cli status"),
      lines: [
        "The password of \(escaping: renewed.user.username) counts as recent for \(deadlines.remaining(renewed.limits.fresh))."
      ],
      ["user": .user(renewed.user), "session": .session(renewed.id, renewed.limits, deadlines)])
  }
}
