import Guards

/// The bar at the head of a screen: a title, and a button that does what its label says.
///
/// The button carries the event it sends, so there is no branch on whether somebody is logged in: pressing it *does* log in or log
/// out. It changes when the login or the logout is done; one that is pressed while other work is under way is told so by the store.
/// A new bar begins with `Log in` where no session stands, also while one is being restored, begun or cleared away.
public final class NavigationBar: Stateful {
  /// The right-hand button.
  public enum Button: Hashable, Sendable {
    /// Sends `logIn`.
    case logIn
    /// Sends `logOut`, for the user whose account it shows.
    case logOut(User)

    /// The event that pressing the button sends.
    package var command: SessionCommand {
      switch self {
      case .logIn: .logIn
      case .logOut: .logOut
      }
    }

    /// What the button says.
    public var label: String {
      switch self {
      case .logIn: "Log in"
      case .logOut: "Log out"
      }
    }
  }

  /// What stands on the left.
  public let title: String
  private let store: SessionStore
  private let current = Locked<Button>(.logIn)
  /// Asked twice is logged in once: a second press while the credentials are asked for is refused.
  private let loggingIn = Gatekeeper<Bool>()

  /// Creates a bar that shows the session of `store` from now on.
  public init(title: String, store: SessionStore) {
    self.title = title
    self.store = store
    store.attach(self)
  }

  /// The button as it stands now.
  public var button: Button { current.withLock { $0 } }

  /// What pressing the button began or did.
  public enum Pressed: Sendable {
    /// This user is logged in now.
    case loggedIn(LoggedInSession)
    /// The logout has begun; its keys are dead already. Wait for it to learn what remains.
    case loggingOut(PendingLogout)
    /// The user thought better of it, or an earlier press is still asking for credentials; nothing was sent.
    case nothing
  }

  /// Sends the button's event.
  ///
  /// The work begins on the calling thread: an authority or a vault that blocks, blocks the caller; see ``SessionStore``.
  ///
  /// - Parameter credentials: Asks for credentials; only called for a login. Nil means that the user thought better of it.
  /// - Returns: What came of it.
  /// - Throws: ``SessionError`` of the login.
  @discardableResult
  public func press(
    credentials: () async -> Credentials?
  ) async throws(SessionError) -> Pressed {
    switch button {
    case .logIn:
      let passage = try await loggingIn.withPassage { () async throws(SessionError) -> Pressed in
        guard let credentials = await credentials() else { return .nothing }
        return .loggedIn(try await store.logIn(credentials))
      }
      switch passage {
      case .passed(let pressed): return pressed
      case .refused: return .nothing
      }
    case .logOut:
      return .loggingOut(store.beginLogOut())
    }
  }

  /// Shows the account and `Log out`.
  public func loggedIn(_ session: LoggedInSession) {
    current.withLock { $0 = .logOut(session.user) }
  }

  /// Shows `Log in`.
  public func loggedOut(_ reason: LogoutReason) {
    current.withLock { $0 = .logIn }
  }
}
