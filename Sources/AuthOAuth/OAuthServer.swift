/// Where a server answers.
///
/// Every address has to be `https`, or `http` on this very machine.
public struct OAuthServer: Hashable, Sendable {
  /// The server's name of itself (RFC 8414, section 2); a response that names another one is
  /// refused.
  public var issuer: String
  /// Where the browser logs in.
  public var authorizationEndpoint: String?
  /// Where codes and refresh tokens are exchanged.
  public var tokenEndpoint: String
  /// Where a device asks for a code (RFC 8628).
  public var deviceAuthorizationEndpoint: String?
  /// Where a logout is reported (RFC 7009); without it, a logout cannot end the session at the
  /// server.
  public var revocationEndpoint: String?
  /// Where tokens are checked (RFC 7662); without it, a saved session is believed until its next
  /// renewal.
  public var introspectionEndpoint: String?
  /// Where the server says who the user is (OpenID Connect Core 1.0, section 5.3).
  public var userInfoEndpoint: String?
  /// Whether each response names the issuer (RFC 9207): one that does not is then refused.
  public var namesIssuer: Bool

  /// Creates the description of a server.
  public init(
    issuer: String, authorizationEndpoint: String? = nil, tokenEndpoint: String,
    deviceAuthorizationEndpoint: String? = nil, revocationEndpoint: String? = nil,
    introspectionEndpoint: String? = nil, userInfoEndpoint: String? = nil, namesIssuer: Bool = false
  ) {
    self.issuer = issuer
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
    self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
    self.revocationEndpoint = revocationEndpoint
    self.introspectionEndpoint = introspectionEndpoint
    self.userInfoEndpoint = userInfoEndpoint
    self.namesIssuer = namesIssuer
  }

  /// Asks a server for its addresses (RFC 8414, and OpenID Connect Discovery 1.0 where that is not
  /// there).
  ///
  /// - Throws: `oauth_misconfigured` when the server calls itself something else than `issuer`, or
  ///   cannot check a code with S256.
  public static func discover(
    issuer: String, send: @escaping OAuthTransport
  ) async throws(OAuthError) -> OAuthServer {
    let start = issuer.firstRange(of: "://")?.upperBound ?? issuer.startIndex
    let end = issuer[start...].firstIndex(of: "/") ?? issuer.endIndex
    let (place, path) = (issuer[..<end], issuer[end...] == "/" ? "" : issuer[end...])
    let exchange = Exchange(send: send)
    let places = [
      "\(place)/.well-known/oauth-authorization-server\(path)", "\(place)\(path)/.well-known/openid-configuration",
    ]
    var document: OAuthClaims?
    for url in places where document == nil { document = try await exchange.claims("GET", url, empty: 404) }
    guard let document, document["issuer"] == issuer, let tokenEndpoint = document["token_endpoint"] else {
      throw .misconfigured("The server does not describe itself as \(issuer).")
    }
    let methods = document.list("code_challenge_methods_supported")
    guard !document.has("code_challenge_methods_supported") || methods.contains("S256") else {
      throw .misconfigured("The server cannot check a code with S256.")
    }
    return OAuthServer(
      issuer: issuer, authorizationEndpoint: document["authorization_endpoint"], tokenEndpoint: tokenEndpoint,
      deviceAuthorizationEndpoint: document["device_authorization_endpoint"],
      revocationEndpoint: document["revocation_endpoint"], introspectionEndpoint: document["introspection_endpoint"],
      userInfoEndpoint: document["userinfo_endpoint"],
      namesIssuer: document.flag("authorization_response_iss_parameter_supported") ?? false)
  }
}
