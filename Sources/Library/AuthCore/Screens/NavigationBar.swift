import Guards
public import Observation

/// The model of a bar with a button to log in or out.
///
/// The button carries its command, so your code needs no branch on whether a user is logged in:
/// pressing it logs in or logs out. The button changes when the login or the logout is done. While
/// other work is under way, the store rejects the press. A new bar shows `Log in` while nobody is
/// logged in, including while a session is restored, begun or cleaned up.
///
/// It is `Observable`: a view that reads ``button`` is redrawn when that changes.
public final class NavigationBar: Observable, Sendable {
  /// The right-hand button.
  ///
  /// Frozen: a later version adds no case.
  public enum Button: Hashable, Sendable {
    /// Sends `logIn`.
    case logIn
    /// Sends `logOut`, for the user whose account it shows.
    case logOut(User)

    /// The label of the button.
    package var label: String { self == .logIn ? "Log in" : "Log out" }
  }

  private let store: SessionStore
  private let shown = ShownButton()
  /// Refuses a second press while the first one prompts for credentials.
  private let loggingIn = Gatekeeper<Bool>()

  /// Creates a bar that shows the session of `store` from now on.
  public init(store: SessionStore) {
    self.store = store
    store.attach(shown)
  }

  /// The current button.
  public var button: Button { shown.current.value }

  /// The result of pressing the button.
  ///
  /// Frozen: a later version adds no case.
  public enum Pressed: Sendable {
    /// This user is logged in now.
    case loggedIn(LoggedInSession)
    /// The login needs a second step: answer the challenge, or cancel it. The button stays `Log in`
    /// until then, and another press gives the same challenge without a prompt for credentials.
    case challenged(Challenge)
    /// The logout has begun, and the keys are dead. Await it to learn what remains to clean up.
    case loggingOut(PendingLogout)
    /// The user cancelled, an earlier press is still prompting for credentials, or the button has
    /// changed; nothing was sent.
    case nothing
  }

  /// Sends the command of the button that was shown, if it is still the current one.
  ///
  /// A session that begins or ends elsewhere can change the button just before a press. The press
  /// then sends the command that the user saw, or nothing.
  ///
  /// - Parameters:
  ///   - shown: The button that was shown when it was pressed; nil means the current one.
  ///   - credentials: Prompts for credentials; only called for a login. Return nil if the user
  ///     cancels.
  /// - Returns: The result of the press.
  /// - Throws: ``SessionError`` of the login.
  @discardableResult
  public func press(
    _ shown: Button? = nil, credentials: () async -> Credentials?
  ) async throws(SessionError) -> Pressed {
    switch shown ?? button {
    case .logIn:
      if store.session != nil { return .nothing }
      if case .challenged(let challenge, nil) = store.state { return .challenged(challenge) }
      let passage = try await loggingIn.withPassage { () async throws(SessionError) -> Pressed in
        guard let credentials = await credentials() else { return .nothing }
        switch try await store.logIn(credentials) {
        case .loggedIn(let session): return .loggedIn(session)
        case .challenged(let challenge): return .challenged(challenge)
        }
      }
      if case .passed(let pressed) = passage { return pressed } else { return .nothing }
    case .logOut(let user):
      let (reaction, logout) = store.core.beginLogOut(.user(user.id))
      return reaction.isTransition ? .loggingOut(logout) : .nothing
    }
  }
}

/// The button that a bar shows; only the store changes it.
private final class ShownButton: SessionObserver, Sendable {
  let current = Observed<NavigationBar.Button>(.logIn)

  func loggedIn(_ session: LoggedInSession) { current.change { $0 = .logOut(session.user) } }
  func loggedOut(_ reason: LogoutReason) { current.change { $0 = .logIn } }
}
