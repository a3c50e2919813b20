public import AuthCore
import Guards

/// An authority for a server that speaks OAuth 2.0.
///
/// The user logs in at the server: in the browser (``authorization(redirectURI:prompting:)``) or on
/// another device (``deviceAuthorization()``). Both return credentials for the store, which only
/// this authority accepts. It never sends a password that a user types into the app. The vault
/// stores the refresh token. The access tokens stay in memory: `withAccess` of the session lends
/// them, and never the refresh token.
///
/// A session ends only if the server answers `invalid_grant`, or says that the token is not active.
/// Everything else, such as a proxy's page, a timeout or an error of the server, does not change
/// the session.
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
  let server: OAuthServer
  let client: OAuthClient
  let clock: any SessionClock
  let freshness: Duration
  let memory = Locked(OAuthMemory())
  private let readUser: @Sendable (OAuthClaims) -> User?
  private let send: OAuthTransport

  /// Creates an authority.
  ///
  /// - Parameters:
  ///   - server: The addresses of the server.
  ///   - client: The app, as the server knows it.
  ///   - clock: Measures the lifetime of tokens.
  ///   - freshness: How long a password counts as recently entered.
  ///   - user: Reads the user from the response of the userinfo endpoint; without one, from
  ///     introspection; without both, from the response with the tokens.
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
    self.send = send
  }

  /// Accepts these credentials for one login.
  func register(_ credentials: Credentials, _ login: OAuthLogin) -> Credentials {
    memory.withLock { $0.logins[credentials] = login }
    return credentials
  }

  func now() throws(OAuthError) -> BootInstant {
    do throws(ClockError) { return try clock.now() } catch {
      throw .unavailable(Unavailability(.unreadable, error.description, hint: error.hint))
    }
  }
}

// MARK: Requests to the server

extension OAuthAuthority {
  /// Posts a form as this client; the response has no members if the status is `empty`.
  func post(
    _ form: [String: String?], to endpoint: OAuthServer.Endpoint, empty: Int? = nil
  ) async throws(OAuthError) -> OAuthClaims {
    let secret = client.secret.map { String(decoding: $0.bytes, as: UTF8.self) }
    let form = form.merging(["client_id": client.id, "client_secret": secret]) { $1 }
    return try await OAuthRequest(try server.address(of: endpoint), form: form).claims(over: send, empty: empty)
  }

  /// Exchanges a code or a refresh token (RFC 6749, section 5).
  ///
  /// Only `invalid_grant` of this endpoint means that it no longer works. A response without a
  /// refresh token leaves the old one valid (section 6).
  func tokens(_ form: [String: String]) async throws(OAuthError) -> OAuthTokens {
    let requested = try now()
    let claims: OAuthClaims
    do throws(OAuthError) { claims = try await post(form, to: .token) } catch {
      guard error == .refused("invalid_grant") else { throw error }
      if let refused = form["refresh_token"] { memory.withLock { $0.fates[refused] = .ended } }
      throw .rejected(.expired)
    }
    guard let refresh = claims["refresh_token"] ?? form["refresh_token"] else {
      throw .oauth("no_refresh_token", "The server gave no refresh token.", hint: "Request the scope that gives one.")
    }
    // Only for a bearer (RFC 6750), and nothing that ends a line of a header.
    guard let access = claims["access_token"], claims["token_type"]?.lowercased() == "bearer", access.isVisible,
      refresh.isVisible
    else { throw .unusable() }
    let lifetime = claims.seconds("expires_in", in: 0...(1 << 31))
    return OAuthTokens(
      access: AccessToken(access, deadline: lifetime.map { .at(requested.advanced(by: $0)) } ?? .never),
      refresh: refresh, claims: claims, requested: requested)
  }

  /// Asks the server about a token, and throws `rejected` if it is not active (RFC 7662).
  func introspect(_ token: String, _ kind: String) async throws(OAuthError) -> OAuthClaims {
    let claims = try await post(["token": token, "token_type_hint": kind], to: .introspection)
    guard let isActive = claims.flag("active") else { throw .unusable() }
    guard isActive else { throw .rejected(.expired) }
    return claims
  }

  /// Asks for the user of the tokens, and the server's name for the user.
  func owner(of tokens: OAuthTokens) async throws(OAuthError) -> (user: User, subject: String?) {
    var claims = tokens.claims
    if server.endpoints[.userInfo] != nil {
      claims = try await OAuthRequest(
        try server.address(of: .userInfo), authorization: "Bearer \(tokens.access.value)"
      ).claims(over: send)
    } else if let active = try? await introspect(tokens.access.value, "access_token") {
      claims = active
    }
    guard let user = readUser(claims) else {
      throw .oauth(
        "no_user", "The server does not say who the user is.", hint: "Request the scope that names the user.")
    }
    return (user, claims["sub"])
  }

  /// Ends a refresh token, and with it its access tokens (RFC 7009, section 2.1).
  func end(_ refresh: String) async throws(OAuthError) {
    guard server.endpoints[.revocation] != nil else {
      throw .oauth(
        "no_revocation", "The server cannot be told of a logout.", hint: "The session ends there by itself.")
    }
    // The response needs no content (section 2.2).
    _ = try await post(["token": refresh, "token_type_hint": "refresh_token"], to: .revocation, empty: 200)
    memory.withLock { $0.fates[refresh] = .ended }
  }
}

/// A login at the server that has no session yet.
///
/// The authority keeps it in memory, so it sends no credentials that a person typed or another
/// authority created.
struct OAuthLogin: Sendable {
  /// The form for the token endpoint.
  let form: [String: String]
  /// Whether the server was asked to prompt for the password.
  let isFresh: Bool
}

/// The response of the token endpoint.
struct OAuthTokens {
  let access: AccessToken
  let refresh: String
  let claims: OAuthClaims
  /// When the request was sent: lifetimes count from then.
  let requested: BootInstant
}

/// The facts that an authority learns while the process runs.
struct OAuthMemory: Sendable {
  /// Why a refresh token is not used any more: a newer one replaced it, which the vault may not
  /// hold yet; or it is spent, ended or refused.
  enum Fate: Hashable { case replaced(by: String), ended }

  /// The logins that began here and have no session yet, by their credentials.
  var logins: [Credentials: OAuthLogin] = [:]
  var fates: [String: Fate] = [:]

  /// The token to use in place of `refresh`, which may be spent.
  func newest(_ refresh: String) -> String {
    if case .replaced(let newer) = fates[refresh] { newer } else { refresh }
  }
}
