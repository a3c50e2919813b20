public import AuthCore
import ConcurrencyKit
import TextFormat

/// An authority for a server that speaks OAuth 2.0.
///
/// The user logs in at the server: in the browser
/// (``authorizationURL(redirectURI:prompting:parameters:)``) or on another device
/// (``deviceAuthorization(parameters:)``). Both return credentials for the store, which only this
/// authority accepts. It never sends a password that a user types into the app. The vault stores
/// the refresh token and the access token. `withAccess` of the session lends the access token, and
/// never the refresh token.
///
/// A saved session belongs to the issuer and the client that it was granted to. An authority of
/// another issuer or client never sends its tokens, and says so.
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
///   _ server: OAuthServer, _ vault: any SessionVault, _ clock: any SessionClock
/// ) -> (SessionStore, OAuthAuthority) {
///   let authority = OAuthAuthority(
///     server: server, clientID: "app", scopes: ["openid", "offline_access"], clock: clock)
///   return (SessionStore(authority: authority, vault: vault, clock: clock), authority)
/// }
/// ```
public final class OAuthAuthority: Sendable {
  package let server: OAuthServer
  let clientID: String
  let scope: String?
  let clock: any SessionClock
  let freshness: Duration
  /// The response of the token endpoint, and when it was requested: lifetimes count from then.
  ///
  /// A renewal may bring a new refresh token without an access token that can be used.
  typealias Tokens = (access: AccessToken?, refresh: String?, claims: OAuthClaims, requested: BootInstant)
  /// A login that has no session yet.
  struct Login {
    /// The form for the token endpoint.
    var form: [String: String]
    /// The response to it, if that is known already.
    var tokens: Tokens?
    /// What the ID token has to repeat.
    var nonce: String?
    /// When the server was asked to prompt for the password; nil if it was not.
    var prompted: BootInstant?
  }
  /// The logins in the browser that were not answered yet, by their state.
  let requests = Locked(Recent<String, Login>())
  /// The logins that have no session yet, by their credentials.
  let logins = Locked(Recent<Credentials, Login>())
  /// The tokens of renewals that are not confirmed yet, by the refresh token.
  let unconfirmed = Locked(Recent<String, Tokens>())
  /// The tokens of password checks that failed: they are ended with their session, because some
  /// servers end all sessions of the user with one of them.
  let abandoned = Locked(Recent<SessionID, [String]>())
  /// The sessions that this authority ended, or whose tokens the server refused.
  let ended = Locked(Recent<SessionID, Void>())
  /// The users that the server named after the last renewals, by their sessions.
  let users = Locked(Recent<SessionID, User>())
  /// The scopes that the server granted, by the sessions.
  let scopes = Locked(Recent<SessionID, String>())
  /// How long a login asks for its user before it fails: less than a step of the store.
  let patience: Duration
  let clientSecret: Secret?
  /// How a client with a secret authenticates: as the metadata says, or as it worked.
  let ways: Locked<[OAuthServer.Endpoint: OAuthServer.ClientAuthentication]>
  /// The APIs for which the access token is requested (RFC 8707).
  let resources: [String]
  let wallClock: @Sendable () -> Int64
  /// Whether the newest ID token is saved with the session, for a program that hands it to others.
  let keepsIdentity: Bool
  private let readUser: @Sendable (OAuthClaims) -> User?

  /// Creates an authority.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - clientID: The identifier that the server gave the app.
  ///   - clientSecret: The secret of a service; nil for an app that users install, because it
  ///     cannot keep a secret (RFC 8252, section 8.5).
  ///   - scopes: The access that the app requests. Many servers need a scope such as
  ///     `offline_access` for a session that lasts.
  ///   - resources: The addresses of the APIs for which the app requests access, if your server
  ///     wants to know them (RFC 8707); they are also sent with each renewal.
  ///   - clock: Measures the lifetime of tokens.
  ///   - freshness: How long a password counts as recently entered.
  ///   - patience: How long a login asks for its user, if the server does not answer. Choose less
  ///     than the `loginStep` of the store's timing.
  ///   - user: Reads the user from the ID token and the response of the userinfo endpoint; without
  ///     them, from introspection; without all three, from the response with the tokens, and the
  ///     user is then identified by this login alone (`User.isIdentified`). Its id is
  ///     that of the user at this server: the authority adds the issuer. Never use a name or an
  ///     e-mail address as an id if it can be given to somebody else.
  public convenience init(
    server: OAuthServer, clientID: String, clientSecret: Secret? = nil, scopes: [String] = [],
    resources: [String] = [], clock: any SessionClock, freshness: Duration = .seconds(900),
    patience: Duration = .seconds(20), user: @escaping @Sendable (OAuthClaims) -> User? = { $0.user }
  ) {
    self.init(
      server: server, clientID: clientID, clientSecret: clientSecret, scopes: scopes, resources: resources,
      clock: clock, wallClock: { UTCTime.now.seconds }, freshness: freshness, patience: patience, user: user)
  }

  /// Creates an authority with a wall clock, against which the end of an ID token is checked, and
  /// which may keep the newest ID token; see ``IdentityToken``.
  package init(
    server: OAuthServer, clientID: String, clientSecret: Secret?, scopes: [String], resources: [String],
    clock: any SessionClock, wallClock: @escaping @Sendable () -> Int64 = { UTCTime.now.seconds },
    keepsIdentity: Bool = false, freshness: Duration = .seconds(900), patience: Duration = .seconds(20),
    user: @escaping @Sendable (OAuthClaims) -> User?
  ) {
    self.server = server
    self.clientID = clientID
    self.clientSecret = clientSecret
    ways = Locked(server.clientAuthentication)
    scope = scopes.isEmpty ? nil : scopes.joined(separator: " ")
    self.resources = resources
    self.clock = clock
    self.wallClock = wallClock
    self.keepsIdentity = keepsIdentity
    self.freshness = freshness
    self.patience = patience
    readUser = user
  }

  var origin: Origin { Origin(issuer: server.issuer, client: clientID) }

  func now() throws(OAuthError) -> BootInstant {
    do throws(ClockError) { return try clock.now() } catch {
      throw .unavailable(Unavailability(.unreadable, error.description, hint: error.hint))
    }
  }

  /// Credentials for one login, which name it in the memory of this authority.
  ///
  /// So it sends nothing that a person typed or another authority created, and no copy of them
  /// contains a code or a token of the server.
  func credentials(for login: Login) -> Credentials {
    let credentials = Credentials.token(Secret(Self.randomText()))
    logins.withLock { $0[credentials] = login }
    return credentials
  }

  // MARK: Requests to the server

  /// Exchanges a code or a refresh token (RFC 6749, section 5).
  ///
  /// Only `invalid_grant` of this endpoint means that it no longer works; or for a code
  /// `invalid_code`, which Glewlwyd answers, and for a refresh token `invalid_token` and
  /// `expired_token`, as INDIGO IAM answers. A response without a
  /// refresh token leaves the old one valid (section 6).
  func tokens(_ form: [String: String], recorder: ExchangeRecorder? = nil) async throws(OAuthError) -> Tokens {
    let old = form["refresh_token"]
    let requested = try now()
    let claims: OAuthClaims
    do throws(OAuthError) { claims = try await post(form, to: .token, recorder: recorder) } catch {
      throw error.ofTokens(isRenewal: old != nil)
    }
    return try tokens(claims, replacing: old, requested: requested)
  }

  /// The longest access or refresh token, in bytes.
  static let longestToken = 12_288

  /// Reads the answer of the token endpoint.
  ///
  /// - Parameters:
  ///   - claims: The answer.
  ///   - old: The refresh token that the request spent; nil at a login.
  ///   - requested: When the request began.
  /// - Returns: The tokens. A renewal that granted a new refresh token must save it, also if
  ///   nothing else in the answer can be used.
  /// - Throws: If the answer cannot be used.
  func tokens(
    _ claims: OAuthClaims, replacing old: String?, requested: BootInstant
  ) throws(OAuthError) -> Tokens {
    let new = try claims.token("refresh_token")
    if let new, new.utf8.count > Self.longestToken || SavedSession.length(of: new) > SavedSession.longestRefresh {
      // An answer that the vault cannot save would be in the way of a logout.
      throw .tooLong
    }
    do throws(OAuthError) {
      return (try accessToken(claims, requested: requested), new ?? old, claims, requested)
    } catch {
      guard let new, let old, new != old else { throw error }
      return (nil, new, claims, requested)
    }
  }

  private func accessToken(_ claims: OAuthClaims, requested: BootInstant) throws(OAuthError) -> AccessToken {
    // Only for a bearer (RFC 6750).
    guard let access = try claims.token("access_token"), claims["token_type"]?.lowercased() == "bearer"
    else { throw .unusable() }
    guard access.utf8.count <= Self.longestToken else { throw .tooLong }
    // Some servers send 0 or -1 for a token without an end.
    let lifetime = claims.seconds("expires_in", in: 0...(1 << 31)).flatMap { $0 > .zero ? $0 : nil }
    let deadline = lifetime.map { Deadline.at(requested.advanced(by: $0)) } ?? .never
    return AccessToken(access, deadline: deadline)
  }

  /// Asks the server about a token, and throws `rejected` if it is not active (RFC 7662).
  func introspect(_ token: String, _ kind: String) async throws(OAuthError) -> OAuthClaims {
    let claims = try await post(["token": token, "token_type_hint": kind], to: .introspection)
    guard case .bool(let isActive)? = claims.members["active"] else { throw .unusable() }
    guard isActive else { throw .rejected(.expired) }
    return claims
  }

  /// The user of tokens, and the server's name for the user.
  typealias Owner = (user: User, subject: String?)

  /// Asks for the user of the tokens.
  ///
  /// An ID token that came with them names the user. Then the answer of the server only adds what
  /// the token lacks, such as names for people, and its failure is no failure of the login; but
  /// both must name one user (OpenID Connect Core 1.0, section 5.3.2).
  ///
  /// - Parameters:
  ///   - tokens: The tokens.
  ///   - session: The session, or the login, if the server does not name its user.
  ///   - identity: The claims of the ID token, if there is one.
  /// - Returns: The user.
  /// - Throws: `rejected` with `denied` if the answers are about two users; otherwise the failure.
  func owner(
    of tokens: Tokens, in session: SessionID, named identity: OAuthClaims?
  ) async throws(OAuthError) -> Owner {
    var claims: OAuthClaims
    do throws(OAuthError) { claims = try await claimsOfServer(about: tokens) } catch {
      guard let identity else { throw error }
      claims = identity
    }
    if let identity {
      guard claims.subject == nil || claims.subject == identity.subject else { throw .rejected(.denied) }
      claims = identity.completed(by: claims)
    }
    claims.nameless = (session.rawValue, "unnamed")
    guard let user = readUser(claims), !user.id.rawValue.isEmpty,
      let bounded = SavedSession.bounded(user.ofServer(server.issuer, unlessOnlyOf: session.rawValue))
    else {
      throw .oauth(
        "invalid_user", "The server names the user with an identifier (sub) that cannot be used.",
        hint: "Tell the server's administrators.")
    }
    return (bounded, claims.subject)
  }

  /// What the server says about the user of the tokens.
  ///
  /// A token for another service is refused here, some servers sign the answer, and others do not
  /// let this client ask. None of that is a failure of the login: the next service is asked, and at
  /// the end the answer with the tokens counts. Only a server that cannot answer now is a failure,
  /// because it would name another user later.
  private func claimsOfServer(about tokens: Tokens) async throws(OAuthError) -> OAuthClaims {
    guard let access = tokens.access else { throw .unusable() }
    if let address = server.endpoints[.userInfo] {
      do throws(OAuthError) {
        return try await server.request(address, authorization: "Bearer \(access.value)")
      } catch {
        guard error.isAnswer else { throw error }
      }
    }
    if server.endpoints[.introspection] != nil {
      do throws(OAuthError) { return try await introspect(access.value, "access_token") } catch {
        guard error.isAnswer else { throw error }
      }
    }
    return tokens.claims
  }

  /// The scopes that the server granted to a session: those that it named last, otherwise the
  /// requested ones (RFC 6749, section 5.1).
  ///
  /// A user or a server may grant fewer than the app requested.
  public func grantedScopes(of session: LoggedInSession) -> [String] {
    (scopes.withLock { $0[session.id] } ?? scope ?? "").split(separator: " ").map(String.init)
  }

  /// Ends a token (RFC 7009, section 2.1); a refresh token with its access tokens.
  ///
  /// `proof` has parameters by which the client authenticates, besides its secret.
  func end(
    _ token: String, _ kind: String = "refresh_token", proof: [String: String?] = [:]
  ) async throws(OAuthError) {
    guard server.endpoints[.revocation] != nil else { throw .notRevocable("no_revocation") }
    do throws(OAuthError) {
      // The response needs no content (section 2.2).
      _ = try await post(
        proof.merging(["token": token, "token_type_hint": kind]) { $1 }, to: .revocation, empty: 200)
    } catch {
      throw error.isRefused("unsupported_token_type") ? .notRevocable("unsupported_token_type") : error
    }
  }
}
