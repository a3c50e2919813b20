public import AuthCore
import Guards
import TextFormat

/// An authority for a server that speaks OAuth 2.0.
///
/// The user logs in at the server: in the browser (``authorization(redirectURI:prompting:)``) or on
/// another device (``deviceAuthorization()``). Both give credentials for the store, which serve
/// only at this authority; a password that somebody types into the app is never sent. The vault
/// keeps the refresh token. The access tokens stay in memory: `withAccess` of the session lends
/// them, and never the refresh token.
///
/// Only the server's own `invalid_grant`, or its word that a token is not active, ends a session.
/// Everything else, such as a proxy's page, a timeout or an error of the server, says nothing about
/// it.
///
/// ```swift
/// import AuthCore
/// import AuthOAuth
///
/// func store(
///   _ server: OAuthServer, _ vault: any SessionVault, _ clock: any SessionClock, send: @escaping OAuthTransport
/// ) -> (SessionStore, OAuthAuthority) {
///   let client = OAuthClient(id: "app", redirectURI: "com.example.app:/login", scopes: ["openid", "offline_access"])
///   let authority = OAuthAuthority(server: server, client: client, clock: clock, send: send)
///   return (SessionStore(authority: authority, vault: vault, clock: clock), authority)
/// }
/// ```
public final class OAuthAuthority: Sendable {
  /// What the authority knows of refresh tokens while the process runs.
  struct Memory: Sendable {
    /// The logins that began here and have no session yet, by their credentials.
    var logins: [Credentials: Login] = [:]
    /// The newest refresh token by the one that the vault holds, until it holds the newer one.
    var newer: [String: String] = [:]
    /// The refresh tokens that are known to be spent, ended or refused.
    var ended: Set<String> = []
  }

  let server: OAuthServer
  let client: OAuthClient
  let clock: any SessionClock
  let freshness: Duration
  let readUser: @Sendable (OAuthClaims) -> User?
  let exchange: Exchange
  let memory = Locked(Memory())

  /// Creates an authority.
  ///
  /// - Parameters:
  ///   - server: Where the server answers.
  ///   - client: What it knows of the app.
  ///   - clock: Measures how long tokens last.
  ///   - freshness: How long a password counts as recently entered.
  ///   - user: Finds the user in what the server says at its userinfo endpoint; where it has none,
  ///     at introspection; otherwise beside the tokens.
  ///   - send: Sends requests.
  public init(
    server: OAuthServer, client: OAuthClient, clock: any SessionClock, freshness: Duration = .seconds(900),
    user: @escaping @Sendable (OAuthClaims) -> User? = { $0.user }, send: @escaping OAuthTransport
  ) {
    self.server = server
    self.client = client
    self.clock = clock
    self.freshness = freshness
    readUser = user
    exchange = Exchange(send: send)
  }

  /// Begins a login in the browser.
  ///
  /// - Parameters:
  ///   - redirectURI: Where the browser returns to, for a port that was chosen just now (RFC 8252,
  ///     section 7.3); nil means that of the client.
  ///   - prompting: Asks the server to let the user enter the password (`prompt=login`), which
  ///     makes the session fresh. A server that ignores it, ignores it silently.
  /// - Returns: What the browser is to open, and what takes its answer.
  /// - Throws: `oauth_misconfigured` when the server has no secure address for logins.
  public func authorization(
    redirectURI: String? = nil, prompting: Bool = false
  ) throws(OAuthError) -> AuthorizationRequest {
    try AuthorizationRequest(self, redirectURI: redirectURI ?? client.redirectURI, isPrompting: prompting)
  }

  /// Begins a login on another device.
  public func deviceAuthorization() async throws(OAuthError) -> DeviceAuthorization {
    guard let endpoint = server.deviceAuthorizationEndpoint else {
      throw .misconfigured("The server has no address for devices.")
    }
    let now = try now()
    let answer = try await post(endpoint, client.scope.map { ["scope": $0] } ?? [:])
    guard let device = DeviceAuthorization(answer, self, at: now) else { throw .unusable }
    return device
  }

  /// Accepts these credentials at the next login, and only here.
  func register(_ credentials: Credentials, _ login: Login) -> Credentials {
    memory.withLock { $0.logins[credentials] = login }
    return credentials
  }
}

// MARK: Requests to the server

extension OAuthAuthority {
  func now() throws(OAuthError) -> BootInstant {
    do throws(ClockError) {
      return try clock.now()
    } catch {
      throw .unavailable(Unavailability(.unreadable, error.description, hint: error.hint))
    }
  }

  /// Posts a form as this client; nil if the status is `empty`.
  func post(_ url: String, _ form: [String: String], empty: Int? = nil) async throws(OAuthError) -> OAuthClaims? {
    var form = form
    form["client_id"] = client.id
    form["client_secret"] = client.secret.map { String(decoding: $0.bytes, as: UTF8.self) }
    return try await exchange.claims(
      "POST", url, ["Content-Type": "application/x-www-form-urlencoded"], Array(Form.text(form).utf8), empty: empty)
  }

  /// Asks the token endpoint; only its `invalid_grant` means that a code or a token has expired
  /// (RFC 6749, section 5.2).
  func token(_ form: [String: String]) async throws(OAuthError) -> TokenAnswer {
    let asked = try now()
    do throws(OAuthError) {
      let claims = try await post(server.tokenEndpoint, form)
      guard let answer = TokenAnswer(claims, asked: asked) else { throw .unusable }
      return answer
    } catch {
      throw error == .refused("invalid_grant") ? .rejected(.expired) : error
    }
  }

  /// What the server says of a token, with `active`; nil where it cannot be asked.
  func introspect(_ token: String, _ hint: String) async throws(OAuthError) -> OAuthClaims? {
    guard let endpoint = server.introspectionEndpoint else { return nil }
    let claims = try await post(endpoint, ["token": token, "token_type_hint": hint])
    guard claims?.flag("active") != nil else { throw .unusable }
    return claims
  }

  /// Who the tokens are for.
  func owner(of answer: TokenAnswer) async throws(OAuthError) -> (user: User, subject: String?) {
    var claims = answer.claims
    if let endpoint = server.userInfoEndpoint {
      claims = try await exchange.claims("GET", endpoint, ["Authorization": "Bearer \(answer.access.value)"]) ?? claims
    } else if let said = try? await introspect(answer.access.value, "access_token"), said.flag("active") == true {
      claims = said
    }
    guard let user = readUser(claims) else {
      throw .oauth("no_user", "The server does not say who the user is.")
    }
    return (user, claims["sub"])
  }

  /// Ends a refresh token, and with it its access tokens (RFC 7009, section 2.1).
  func end(_ refresh: String) async throws(OAuthError) {
    guard let endpoint = server.revocationEndpoint else {
      throw .oauth(
        "no_revocation", "The server cannot be told of a logout.", hint: "The session ends there by itself.")
    }
    // The response needs no content (section 2.2).
    _ = try await post(endpoint, ["token": refresh, "token_type_hint": "refresh_token"], empty: 200)
    memory.withLock { _ = $0.ended.insert(refresh) }
  }
}
