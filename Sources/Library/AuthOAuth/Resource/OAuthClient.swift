public import AuthCore
import TextFormat

/// A client that a server has registered for one resource.
///
/// Save it where the vault is: its id is valid at this server alone, and only with this redirect
/// address.
public struct OAuthClient: Hashable, Sendable, Redacted {
  /// The client id, valid at ``issuer`` alone.
  public let id: String
  /// The secret, if the server gave one.
  public let secret: Secret?
  /// How it authenticates with the secret.
  public let authentication: OAuthServer.ClientAuthentication?
  /// The server that registered it.
  public let issuer: String
  /// The resource that it was registered for.
  public let resource: String
  /// Where the browser returns to.
  public let redirectURI: String
  /// The scopes that it may request.
  public let scopes: [String]
  /// When it expires, in seconds since 1970; nil if it does not.
  public let expires: Int64?

  /// Restores a client that an earlier process saved.
  public init(
    id: String, secret: Secret?, authentication: OAuthServer.ClientAuthentication?, issuer: String, resource: String,
    redirectURI: String, scopes: [String], expires: Int64?
  ) {
    (self.id, self.secret, self.authentication) = (id, secret, authentication)
    (self.issuer, self.resource, self.redirectURI) = (issuer, resource, redirectURI)
    (self.scopes, self.expires) = (scopes, expires)
  }

  /// How it authenticates at each service: as it was registered, whatever the server lists.
  package var ways: [OAuthServer.Endpoint: OAuthServer.ClientAuthentication] {
    guard let authentication else { return [:] }
    return [.token: authentication, .revocation: authentication, .introspection: authentication]
  }

  /// Whether a login for the resource can use it; otherwise register again.
  ///
  /// - Parameters:
  ///   - resource: The resource, as it was discovered just now.
  ///   - now: The time of the wall clock, in seconds since 1970.
  /// - Returns: Whether it is one of this server for this resource with these scopes, and has not
  ///   expired.
  public func isUsable(for resource: ProtectedResource, at now: Int64) -> Bool {
    issuer == resource.server.issuer && self.resource == resource.identifier
      && Set(resource.scopes).isSubset(of: scopes) && expires.map { $0 > now } ?? true
  }
}

extension ProtectedResource {
  /// Registers a client at the server, as a program that users install (RFC 7591; RFC 8252, section
  /// 8.4).
  ///
  /// - Parameters:
  ///   - name: The name that the server shows to users.
  ///   - redirectURI: Where the browser returns to. Many servers compare the port too: use the one
  ///     of the login.
  ///   - forDevices: Whether it also logs in with codes on other devices.
  /// - Returns: The client.
  /// - Throws: `oauth_no_registration` if the server registers no clients, and
  ///   `oauth_registration_refused` if it changed what matters.
  public func register(
    name: String, redirectURI: String, forDevices: Bool = false
  ) async throws(OAuthError) -> OAuthClient {
    guard let endpoint = clients.registration, endpoint.isSafeURL, server.issuer.mayName(endpoint) else {
      throw .oauth(
        "no_registration", "The server \(server.issuer) registers no clients.",
        hint: "Register the app there, and use the client id that you get.")
    }
    // The name of the standard, that of Glewlwyd, and none: a server may offer the login all the
    // same.
    let device = ["urn:ietf:params:oauth:grant-type:device_code", "device_authorization"].map { [$0] } + [[]]
    var refusal: OAuthError?
    for grants in forDevices ? device : [[]] {
      let wish = ClientWish(name: name, redirectURI: redirectURI, scopes: scopes, more: grants, of: clients)
      do throws(OAuthError) { return try wish.client(try await post(wish, to: endpoint), for: self) } catch {
        guard !grants.isEmpty, error.isRefused("invalid_client_metadata", "invalid_request") else {
          throw refusal ?? error
        }
        refusal = refusal ?? error
      }
    }
    throw refusal ?? .unusable()
  }

  private func post(_ wish: ClientWish, to endpoint: String) async throws(OAuthError) -> OAuthClaims {
    let response = try await server.response(
      to: OAuthRequest(
        method: "POST", url: endpoint, headers: ["Accept": "application/json", "Content-Type": "application/json"],
        body: Array(wish.document.text.utf8)))
    return try OAuthServer.claims(of: response, from: endpoint.host, toRefresh: false)
  }
}

/// A client to register.
struct ClientWish {
  let name: String
  let redirectURI: String
  let scopes: [String]
  let grants: [String]
  let method: String

  init(name: String, redirectURI: String, scopes: [String], more grants: [String], of metadata: ClientMetadata) {
    (self.name, self.redirectURI, self.scopes) = (name, redirectURI, scopes)
    self.grants = ["authorization_code", "refresh_token"] + grants
    let known = ["none", "client_secret_post", "client_secret_basic"]
    // A server that lists none knows only clients with a secret (RFC 8414, section 2).
    method = known.first { metadata.methods.contains($0) } ?? "client_secret_post"
  }

  var document: JSON {
    [
      "client_name": .string(name), "redirect_uris": [.string(redirectURI)], "application_type": "native",
      "grant_types": .array(grants.map(JSON.string)), "response_types": ["code"],
      "token_endpoint_auth_method": .string(method),
    ] + (scopes.isEmpty ? [:] : ["scope": .string(scopes.joined(separator: " "))])
  }

  /// Reads the answer, which must have what was requested, because the server may change everything
  /// (RFC 7591, section 3.2.1).
  func client(_ claims: OAuthClaims, for resource: ProtectedResource) throws(OAuthError) -> OAuthClient {
    func refuse(_ what: String) -> OAuthError {
      .oauth(
        "registration_refused", "The server registered the client with \(what).",
        hint: "Register the app there yourself, and use the client id that you get.")
    }
    guard let id = claims["client_id"], id.isVisible, id.utf8.count <= 1024, !id.contains(/[<>"'`\\]/) else {
      throw refuse("an id that cannot be used")
    }
    let isDifferent: (String, [String]) -> Bool = { name, values in
      let listed = claims.list(name)
      return !listed.isEmpty && !values.allSatisfy(listed.contains)
    }
    if isDifferent("redirect_uris", [redirectURI]) { throw refuse("another redirect address") }
    if isDifferent("grant_types", ["authorization_code"]) || isDifferent("response_types", ["code"]) {
      throw refuse("another kind of login")
    }
    if let other = claims["client_name"], other != name { throw refuse("another name") }
    let method = claims["token_endpoint_auth_method"] ?? self.method
    let secret = try claims.token("client_secret").map { Secret($0) }
    guard method == "none" || ["client_secret_post", "client_secret_basic"].contains(method) && secret != nil else {
      throw refuse("a way to authenticate that was not requested")
    }
    let end = claims["client_secret_expires_at"].flatMap { Int64($0) } ?? 0
    return OAuthClient(
      id: id, secret: method == "none" ? nil : secret,
      authentication: method == "none" ? nil : OAuthServer.ClientAuthentication(rawValue: method),
      issuer: resource.server.issuer, resource: resource.identifier, redirectURI: redirectURI, scopes: scopes,
      expires: end > 0 ? end : nil)
  }
}

extension OAuthAuthority {
  /// Creates an authority for a resource: its tokens are requested for that alone, at the login and
  /// at each renewal (RFC 8707), and nothing else is asked with them.
  ///
  /// Most servers of such resources name no user. The user is then identified by this login alone
  /// (`User.isIdentified`).
  public convenience init(
    resource: ProtectedResource, client: OAuthClient, clock: any SessionClock, freshness: Duration = .seconds(900),
    patience: Duration = .seconds(20), user: @escaping @Sendable (OAuthClaims) -> User? = { $0.user }
  ) {
    var server = resource.server.forTokensAlone
    server.clientAuthentication = client.ways
    self.init(
      server: server, clientID: client.id, clientSecret: client.secret, scopes: resource.scopes,
      resources: [resource.identifier], clock: clock, freshness: freshness, patience: patience, user: user)
  }
}

extension OAuthServer {
  /// The same server without the services that would get a token of a resource, or answer about it.
  package var forTokensAlone: OAuthServer {
    var server = self
    for endpoint in [Endpoint.introspection, .userInfo] { server.endpoints[endpoint] = nil }
    return server
  }
}
