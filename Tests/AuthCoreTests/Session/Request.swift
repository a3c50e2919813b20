import AuthCore
import AuthCoreTesting

/// A command that asks the authority about an active session.
enum Request: CaseIterable {
  case renew, check, reauthenticate, switchUser

  /// The requests that save a token.
  static let saving: [Request] = [.renew, .reauthenticate, .switchUser]

  /// The operation of the authority.
  var operation: ScriptedAuthority.Operation {
    switch self {
    case .renew: .renew
    case .check: .resume
    case .reauthenticate: .reauthenticate
    case .switchUser: .authenticate
    }
  }

  /// Sends the command, for alice or, to switch users, for bob.
  func send(_ store: SessionStore) async throws(SessionError) {
    switch self {
    case .renew: try await store.renew()
    case .check: try await store.check()
    case .reauthenticate: try await store.reauthenticated(password: World.alice.password)
    case .switchUser: try await store.switched(to: World.bob)
    }
  }
}
