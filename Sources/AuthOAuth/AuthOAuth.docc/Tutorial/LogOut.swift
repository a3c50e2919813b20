import AuthCore

extension Inbox {
  func logOut() async throws -> String {
    switch try await store.logOut() {
    case .complete: "Logged out."
    case .alreadyLoggedOut: "Nobody was logged in."
    case .partial(_, let causes): "Logged out here, but not everywhere: \(causes.joined(separator: " "))"
    }
  }
}
