import AuthCore

extension Inbox {
  func logOut(_ session: LoggedInSession) async throws -> String {
    switch try await store.logOut(session) {
    case .complete: "Logged out."
    case .withoutRevocation: "Logged out here. The server cannot end the session before it expires."
    case .alreadyLoggedOut: "Nobody was logged in."
    case .partial(_, let causes): "Logged out here, but not everywhere: \(causes.joined(separator: " "))"
    }
  }
}
