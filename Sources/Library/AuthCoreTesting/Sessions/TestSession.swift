public import AuthCore

/// A session of any user: a key for a preview or a test, and calls that change and end it.
///
/// The key is genuine: a ``AuthCore/SessionStore`` created it, with an authority that accepts any
/// user. So code that links this product can forge keys. Link it only to test targets and previews,
/// never to an app.
///
/// ```swift
/// import AuthCore
/// import AuthCoreTesting
///
/// func previewedName() -> String {
///   let session = TestSession.mint()
///   return session.key.user.displayName
/// }
/// ```
public final class TestSession: Sendable {
  /// The store that holds the session.
  ///
  /// The key dies with the store, so keep the `TestSession` for as long as you need the key.
  public let store: SessionStore
  /// The first key of the session.
  ///
  /// After ``change(to:)`` the store has a newer one.
  public let key: LoggedInSession
  /// The authority of the session.
  public let authority: ScriptedAuthority
  /// The vault with the session's token.
  public let vault = InMemoryVault()
  /// The clock of the session's limits.
  public let clock = ManualClock()
  /// The user's password, for `reauthenticate(_:password:)` of the store.
  public let password: Secret

  /// An ordinary user.
  public static let alice = User(
    id: UserID(rawValue: "id-alice"), username: "alice", displayName: "Alice", role: .member)
  /// An administrator.
  public static let root = User(
    id: UserID(rawValue: "id-root"), username: "root", displayName: "Root", role: .administrator)

  private init(user: User, password: Secret) {
    self.password = password
    authority = ScriptedAuthority(clock: clock)
    authority.setAccount(user, password: password)
    store = SessionStore(authority: authority, vault: vault, clock: clock, executor: .callingThread)
    store.beginLogIn(Credentials.password(username: user.username, password: password))
    guard let key = store.session else {
      // No call of these doubles is held or fails, so the login is done when `beginLogIn` returns.
      preconditionFailure("a login on fresh doubles did not end at once: \(store.state)")
    }
    self.key = key
  }

  /// Creates a session for `user`, with the password just entered.
  public static func mint(
    user: User = alice, password: Secret = Secret("the password of a minted session")
  ) -> TestSession {
    TestSession(user: user, password: password)
  }

  /// Moves the clock so far that the password no longer counts as recently entered.
  public func letPasswordAge() {
    clock.advance(by: .seconds(901), in: store)
  }

  /// Changes the user, as an administrator would, and calls `check()` of the store.
  ///
  /// - Parameter user: The same username with another display name or role.
  /// - Returns: The new key, which open screens also get.
  /// - Throws: ``AuthCore/SessionError`` when the session has ended.
  @discardableResult
  public func change(to user: User) async throws(SessionError) -> LoggedInSession {
    authority.setAccount(user, password: password)
    return try await store.check()
  }

  /// Ends the session: the key dies, and open screens are dismissed with the reason.
  ///
  /// - Parameter reason: With `userAsked`, the user logs out; any other reason comes from the
  ///   authority.
  /// - Throws: ``AuthCore/LogoutError/insideLease`` when the calling task is inside a lease of the
  ///   session.
  public func end(_ reason: EndReason = .userAsked) async throws(LogoutError) {
    if reason != .userAsked, case .token(let token) = vault.content {
      authority.end(token, reason)
      do throws(SessionError) { try await store.check() } catch { if error == .cancelled { throw .cancelled } }
    }
    // Completes the end, for example by waiting for leases.
    _ = try await store.logOutAnyone()
  }
}
