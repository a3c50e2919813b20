import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// A server, an authority and a store.
struct OAuthWorld {
  let server = ServerDouble()
  let clock = ManualClock()
  let vault = InMemoryVault()
  let authority: OAuthAuthority
  let store: SessionStore

  init(_ change: @Sendable (inout ServerDouble.State) -> Void = { _ in }) {
    server.set(change)
    authority = OAuthAuthority(
      server: server.description, clientID: "app", clientSecret: nil, scopes: ["openid"], resources: [], clock: clock,
      wallClock: { ServerDouble.wallClock }, freshness: .seconds(900), patience: .seconds(20), user: { $0.user })
    store = SessionStore(authority: authority, vault: vault, clock: clock)
  }

  /// An authority for another description of the server, as in another process.
  func authority(
    clientID: String = "app", clientSecret: Secret? = nil, resources: [String] = [], patience: Duration = .seconds(20),
    _ change: (inout OAuthServer) -> Void = { _ in },
    user: @escaping @Sendable (OAuthClaims) -> User? = { $0.user }
  ) -> OAuthAuthority {
    var description = server.description
    change(&description)
    return OAuthAuthority(
      server: description, clientID: clientID, clientSecret: clientSecret, scopes: [], resources: resources,
      clock: clock, wallClock: { ServerDouble.wallClock }, freshness: .seconds(900), patience: patience, user: user)
  }

  /// The store of another process, after its start.
  func restored() async -> SessionStore {
    let store = SessionStore(authority: authority(), vault: vault, clock: clock)
    await store.restore()
    return store
  }

  /// Begins a login in the browser, and returns the address of the app with these parameters.
  ///
  /// `STATE` and `ISSUER` stand for those of the login.
  func answer(_ address: String, to url: String) throws -> String {
    let state = try #require(url.firstMatch(of: /state=([^&]*)/)?.1)
    return address.replacing("STATE", with: state).replacing("ISSUER", with: "iss=https://server.example")
  }

  /// What the browser gives after a login with this password, or the right one.
  func credentials(
    _ name: String = "alice", _ password: Secret? = nil, prompting: Bool = false, at other: OAuthAuthority? = nil,
    whileUserActs: () -> Void = {}
  ) throws -> Credentials {
    let authority = other ?? authority
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login", prompting: prompting)
    whileUserActs()
    return try authority.credentials(from: try server.browse(url, as: name, password))
  }

  @discardableResult
  func logIn() async throws -> LoggedInSession { try await store.loggedIn(try credentials()) }

  /// The grant of a login without the store.
  func grant(at other: OAuthAuthority? = nil) async throws -> Grant {
    let authority = other ?? authority
    let credentials = try credentials(at: authority)
    return try #require(try await authority.authenticate(credentials, limits: LimitRequest()).grant)
  }
}

extension InMemoryVault {
  /// The token that it holds.
  func saved() async throws -> SessionToken {
    guard case .token(let token, _) = await load() else {
      throw Unavailability(.unreadable, "The vault holds no token.")
    }
    return token
  }
}

/// The authority with a user in front of its browser: names and passwords are entered there.
extension OAuthWorld: Authority {
  var exchange: TokenExchange { authority.exchange }

  func notHere(_ token: SessionToken) -> Unavailability? { authority.notHere(token) }

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    let login = try? self.credentials(credentials.username, credentials.password, prompting: true)
    guard let login else { throw .rejected(.notAccepted) }
    return try await authority.authenticate(login, limits: limits)
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    // Whoever's password it is: the browser knows nothing of the session.
    let name = ServerDouble.passwords.first { Secret($0.value) == credentials.password }?.key ?? ""
    let login = try? self.credentials(name, credentials.password, prompting: true)
    guard let login else { throw .rejected(.notAccepted) }
    return try await authority.reauthenticate(token, with: login, limits: limits)
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await authority.answer(challenge, with: answer)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await authority.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await authority.renew(token)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await authority.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await authority.revoke(token, reason: reason)
  }
}
