import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// A server, an authority and a store, with alice logged in.
struct OAuthWorld {
  let server = ServerDouble()
  let clock = ManualClock()
  let vault = InMemoryVault()
  let authority: OAuthAuthority
  let store: SessionStore

  init(
    renewals: Int = 100, client: OAuthClient = ServerDouble.client,
    _ change: @Sendable (inout ServerDouble.Settings) -> Void = { _ in }
  ) {
    server.set(change)
    authority = server.authority(clock, client: client)
    store = SessionStore(
      authority: authority, vault: vault, clock: clock,
      timing: SessionTiming(renewal: RenewalPolicy(window: .seconds(60), limit: renewals)))
  }

  /// What the browser gives after a login.
  func credentials(
    _ name: String = "alice", prompting: Bool = false, at other: OAuthAuthority? = nil
  ) throws -> Credentials {
    let request = try (other ?? authority).authorization(prompting: prompting)
    return try request.credentials(from: try #require(address(request, name)))
  }

  func address(_ request: AuthorizationRequest, _ name: String = "alice") -> String? {
    server.browse(request.url, username: name, password: ServerDouble.passwords[name] ?? "")
  }

  @discardableResult
  func logIn() async throws -> LoggedInSession { try await store.loggedIn(try credentials()) }

  /// The token that the vault holds.
  func saved() async throws -> SessionToken {
    guard case .token(let token, _) = await vault.load() else {
      throw Unavailability(.unreadable, "The vault holds no token.")
    }
    return token
  }

  /// What an access token is lent as.
  func accessToken(_ session: LoggedInSession) async throws -> String {
    try await session.withAccess { $0.value }
  }
}
