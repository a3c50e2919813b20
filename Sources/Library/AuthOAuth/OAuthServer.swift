public import AuthCore
import TextFormat

/// A server: its addresses, and the closure that sends requests to it.
///
/// Requests go only to `https` addresses, or to `http` on this machine.
public struct OAuthServer: Sendable {
  /// A service of the server; the raw value is its name in the server's metadata (RFC 8414, section
  /// 2).
  ///
  /// A later version may add services.
  public struct Endpoint: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The page where the user logs in; the browser opens it.
    public static let authorization = Endpoint(rawValue: "authorization_endpoint")
    /// Exchanges codes and refresh tokens.
    public static let token = Endpoint(rawValue: "token_endpoint")
    /// Gives a code to a device (RFC 8628).
    public static let deviceAuthorization = Endpoint(rawValue: "device_authorization_endpoint")
    /// Ends tokens (RFC 7009); without it, a logout cannot end the session at the server.
    public static let revocation = Endpoint(rawValue: "revocation_endpoint")
    /// Checks tokens (RFC 7662); without it, a saved session is accepted until its next renewal.
    public static let introspection = Endpoint(rawValue: "introspection_endpoint")
    /// Returns the user of an access token (OpenID Connect Core 1.0, section 5.3).
    public static let userInfo = Endpoint(rawValue: "userinfo_endpoint")
    /// The services that this version asks.
    package static let allCases = [authorization, token, deviceAuthorization, revocation, introspection, userInfo]

    /// The name in the server's metadata.
    public let rawValue: String

    /// Wraps a name of the server's metadata.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The server's name for itself (RFC 8414, section 2); another issuer is refused.
  public var issuer: String
  /// The addresses.
  ///
  /// A login needs ``Endpoint/token``, and ``Endpoint/authorization`` or
  /// ``Endpoint/deviceAuthorization``. The others are optional.
  public var endpoints: [Endpoint: String]
  /// Whether the server names the issuer in every redirect (RFC 9207).
  ///
  /// A redirect without it is then refused.
  public var namesIssuer = false
  /// Whether its metadata lists S256 among the methods of PKCE.
  ///
  /// It is used all the same: some servers, such as Entra ID, support it and do not list it.
  package private(set) var listsS256 = false
  /// How a client with a secret authenticates at each service.
  ///
  /// A service that is missing here takes the way of the token endpoint, or
  /// ``ClientAuthentication/basic``. If the server refuses the client, the authority tries the
  /// other way once, and remembers it.
  public var clientAuthentication: [Endpoint: ClientAuthentication] = [:]
  /// The scopes that its metadata lists; empty if it lists none.
  package private(set) var listedScopes: [String] = []
  let send: OAuthTransport

  /// Describes a server.
  public init(issuer: String, endpoints: [Endpoint: String], send: @escaping OAuthTransport) {
    self.issuer = issuer
    self.endpoints = endpoints
    self.send = send
  }

  /// What is known of a server, without the closure: save it after a discovery, so that the next
  /// start needs no network.
  ///
  /// It contains no secret. But who can change it chooses where the tokens are sent: store it
  /// where the vault is.
  public struct Metadata: Hashable, Sendable, Codable {
    fileprivate var issuer: String
    fileprivate var endpoints: [Endpoint: String]
    fileprivate var namesIssuer: Bool
    fileprivate var listedScopes: [String]
    fileprivate var listsS256: Bool
    fileprivate var clientAuthentication: [Endpoint: ClientAuthentication]
  }

  /// What is known of the server.
  public var metadata: Metadata {
    Metadata(
      issuer: issuer, endpoints: endpoints, namesIssuer: namesIssuer, listedScopes: listedScopes,
      listsS256: listsS256, clientAuthentication: clientAuthentication)
  }

  /// Describes a server with what an earlier process saved.
  public init(_ metadata: Metadata, send: @escaping OAuthTransport) {
    self.init(issuer: metadata.issuer, endpoints: metadata.endpoints, send: send)
    (namesIssuer, listedScopes) = (metadata.namesIssuer, metadata.listedScopes)
    (listsS256, clientAuthentication) = (metadata.listsS256, metadata.clientAuthentication)
  }

  /// Reads the addresses from the server's metadata: RFC 8414, and OpenID Connect Discovery 1.0 for
  /// what the first document lacks.
  ///
  /// Some servers, such as django-oauth-toolkit, have the address for the user in one document and
  /// the one for revocation in the other.
  ///
  /// - Throws: `oauth_misconfigured` if the server names another issuer, has no token endpoint or
  ///   one that is not secure, or does not support S256.
  public static func discover(
    issuer: String, send: @escaping OAuthTransport
  ) async throws(OAuthError) -> OAuthServer {
    try await described(issuer: issuer, send: send).server
  }

  /// The same, with the whole description.
  static func described(
    issuer: String, send: @escaping OAuthTransport
  ) async throws(OAuthError) -> (server: OAuthServer, document: OAuthClaims) {
    var server = OAuthServer(issuer: issuer, endpoints: [:], send: send)
    let place = issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...]
    let beforePath = place.replacing(#/^[a-z]+://[^/]+/#) { "\($0.output)/.well-known/oauth-authorization-server" }
    var document = OAuthClaims(members: [:])
    var failure: OAuthError?
    /// The first other issuer that a document names.
    var other: String?
    func isWhole() -> Bool {
      document["issuer"] != nil && [Endpoint.userInfo, .revocation].allSatisfy { document[$0.rawValue] != nil }
    }
    let openID = "/.well-known/openid-configuration"
    let inserted = beforePath.replacing("/.well-known/oauth-authorization-server", with: openID)
    for url in [beforePath, place + openID, inserted].map(String.init).distinct where !isWhole() {
      // For an issuer with a path, a third place that few servers use.
      if url == inserted, url != place + openID, document["issuer"] != nil { break }
      do throws(OAuthError) {
        let found = try await server.request(url, empty: 404)
        // A document that does not name this issuer may be anybody's (RFC 8414, section 3.3).
        guard found["issuer"] == issuer else {
          other = other ?? found["issuer"]
          continue
        }
        document = document.completed(by: found)
      } catch {
        // A server that does not know the first address may answer with a page, a redirect or any
        // error.
        switch error {
        case .unavailable(let cause) where [.busy, .unparsable].contains(cause.cause): failure = failure ?? error
        case .rejected, .throttled, .unavailable: throw error
        }
      }
    }
    if document["issuer"] == nil, other == nil, let failure { throw failure }
    guard document["issuer"] == issuer, document[Endpoint.token.rawValue] != nil else {
      throw .noMetadata(issuer, foundInstead: other)
    }
    let methods = "code_challenge_methods_supported"
    guard (document.members[methods] ?? .null) == .null || document.list(methods).contains("S256") else {
      throw .misconfigured("The server does not support PKCE with S256.")
    }
    for endpoint in Endpoint.allCases {
      guard let address = document[endpoint.rawValue] else { continue }
      // A server elsewhere must not make this program send requests to services of this machine.
      guard !address.isSafeURL || issuer.mayName(address) else {
        guard [.authorization, .token, .userInfo].contains(endpoint) else { continue }
        throw .misconfigured("The server names an address of this machine or its network as \(endpoint.rawValue).")
      }
      server.endpoints[endpoint] = address
    }
    // They get the code and the token of a login, so it need not begin.
    for endpoint in [Endpoint.token, .userInfo] where server.endpoints[endpoint] != nil {
      _ = try server.address(of: endpoint)
    }
    server.namesIssuer = document["authorization_response_iss_parameter_supported"] == "true"
    server.listedScopes = document.list("scopes_supported")
    server.listsS256 = document.list(methods).contains("S256")
    server.clientAuthentication = clientAuthentication(in: document)
    return (server, document)
  }

  func address(of endpoint: Endpoint) throws(OAuthError) -> String {
    guard let address = endpoints[endpoint], address.isSafeURL else {
      throw .misconfigured("The server has no secure address as \(endpoint.rawValue).")
    }
    return address
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  /// The error for an issuer whose metadata cannot be found, or names another issuer.
  fileprivate static func noMetadata(_ issuer: String, foundInstead other: String?) -> OAuthError {
    let sentence = "The server has no metadata for the issuer \(issuer)"
    // Entra ID answers so for an address that serves all tenants.
    if let other, let placeholder = other.firstMatch(of: /\{[A-Za-z_]{1,32}\}/)?.0,
      other.replacing(placeholder, with: "x").isSafeURL
    {
      return oauth(
        "misconfigured", "\(sentence): it names one with a placeholder, \(other).",
        hint: "Use the address with the name or the number of your tenant in place of \(placeholder).")
    }
    return .misconfigured(sentence + (other.flatMap { $0.isSafeURL ? ": it names the issuer \($0)." : nil } ?? "."))
  }
}
