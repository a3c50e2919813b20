import AuthCore
import AuthLocal

extension Workspace {
  /// `logout [--all]`: ends the session, whatever state it is in.
  func logOut(everywhere: Bool) async throws(Refusal) -> Answer {
    let before = await restore()
    let result: LogoutResult
    do throws(LogoutRefusal) {
      result = try await store.logOut()
    } catch {
      switch error {
      case .insideLease, .cancelled: throw Refusal(SessionFailure.cancelled)
      }
    }
    switch result {
    case .complete: return loggedOut(before)
    case .alreadyLoggedOut:
      return Answer(lines: ["Nobody was logged in."], ["logged_out": false, "reason": "nobody_logged_in"])
    case .partial(let leftovers, let causes):
      let why = causes.isEmpty ? "" : " (\(causes.joined(separator: "; ")))"
      throw Refusal(
        .cannotTell, "logout_incomplete", "logged out on this device, but \(leftovers)\(why)",
        hint: "Log out again when the cause is removed: auth-cli logout")
    }
  }

  private func loggedOut(_ before: RestoreOutcome) -> Answer {
    switch before {
    case .loggedIn(let session):
      Answer(
        lines: ["Logged out \(escaping: session.user.username)."],
        ["logged_out": true, "user": .user(session.user)])
    case .loggedOut, .obstructed, .overtaken, .cancelled:
      Answer(
        lines: ["Nobody was logged in; the unusable session was set aside."],
        ["logged_out": false, "reason": "session_set_aside"])
    }
  }
}
