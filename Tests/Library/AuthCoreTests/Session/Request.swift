import AuthCoreTesting
import Testing

@testable import AuthCore

/// A command about an active session.
typealias Request = SessionCommand.OnSession

extension Request {
  /// The requests that save a token.
  static let saving: [Request] = [.renew, .reauthenticate, .switchUser]

  /// The requests that ask the authority.
  static let asking: [Request] = allCases.filter { !SessionCommand.immediate.contains(.session($0)) }

  /// The operation of the authority; `preconditionFailure` for a command that asks nobody.
  var operation: ScriptedAuthority.Operation {
    switch self {
    case .renew: .renew
    case .check: .resume
    case .reauthenticate: .reauthenticate
    case .switchUser: .authenticate
    }
  }

  /// Sends the command, for alice or, to switch users, for bob.
  func send(_ store: SessionStore, within limit: Duration? = nil) async throws(SessionError) {
    switch self {
    case .renew: try await store.renew(within: limit)
    case .check: try await store.check(within: limit)
    case .reauthenticate: _ = try await store.reauthenticate(password: World.alice.password, within: limit)
    case .switchUser: _ = try await store.switchUser(to: World.bob, within: limit)
    }
  }
}

extension SessionCommand {
  /// The commands that are done when the call returns, so that no caller waits for them.
  static let immediate: [SessionCommand] = [.cancel]

  /// Sends the command, for alice or, to switch users, for bob.
  func send(_ store: SessionStore, answering challenge: Challenge? = nil, within limit: Duration? = nil) async throws {
    switch self {
    case .restore:
      let outcome = await store.restore(within: limit)
      if outcome == .cancelled { throw SessionError.cancelled }
      if outcome == .timedOut { throw SessionError.timedOut }
      if case .obstructed(let failure) = outcome { throw SessionError(failure) }
    case .logIn: _ = try await store.logIn(World.alice, within: limit)
    case .session(let request): try await request.send(store, within: limit)
    case .answer: _ = try await store.answer(World.code, to: #require(challenge), within: limit)
    case .cancel: try store.cancel(#require(challenge))
    case .logOut: try await store.logOutAnyone(within: limit)
    }
  }
}
