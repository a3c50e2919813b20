import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// The saved settings of a context's identity provider: the next login needs no options, and a
/// renewal needs no discovery.
///
/// It contains no token, and a logout does not delete it.
struct ProviderSettings: Equatable, Redacted {
  var issuer: String
  var clientID: String
  /// The secret that some providers give to installed apps.
  var clientSecret: Secret?
  var scopes: [String]
  /// The way that the options of the last login named; nil if they named none.
  var way: LoginWay?
  /// The address to which the browser returns; without a port, on any free one.
  var redirectURI = ProviderSettings.anyPort
  /// The address for a program that users install (RFC 8252, section 7.3).
  static let anyPort = "http://127.0.0.1/"
  /// Further parameters of the authorization request.
  var parameters: [String: String]
  /// The addresses of `--parameter resource=`; each request for tokens repeats them.
  var resources: [String] = []
  var endpoints: [OAuthServer.Endpoint: String] = [:]
  var namesIssuer = false
  /// How a client with a secret authenticates: as the metadata says, or as it worked.
  var clientAuthentication: [OAuthServer.Endpoint: OAuthServer.ClientAuthentication] = [:]

  /// The resource that the tokens are for, and how the client was registered for it; nil for a
  /// login that chose no resource.
  var resource: ResourceSettings?

  /// The proxy and the certificate authority of the last login.
  var curl = CurlVariables()
  /// Whether the provider lists S256 among the methods of PKCE.
  var listsS256 = true

  /// The parameters of a login; with `choosing`, the provider lets the user choose an account
  /// (OpenID Connect Core 1.0, section 3.1.2.1, `prompt`).
  func parameters(choosing: Bool) -> [String: String] {
    guard choosing else { return parameters }
    let others = (parameters["prompt"] ?? "").split(separator: " ").filter { $0 != "select_account" }
    return parameters.merging(["prompt": (["select_account"] + others).joined(separator: " ")]) { $1 }
  }

  /// The issuer of the tokens, as the session file names it.
  var tokenIssuer: TokenIssuer { .provider(issuer, client: clientID) }

  /// Creates the authority for sessions at this provider; it sends its requests with curl.
  ///
  /// - Parameters:
  ///   - clock: Measures the lifetime of tokens.
  ///   - onlyTokens: Whether it only exchanges tokens, and requests nothing else, such as the user.
  /// - Returns: The authority.
  func authority(clock: any SessionClock, onlyTokens: Bool = false) -> OAuthAuthority {
    var server = OAuthServer(
      issuer: issuer, endpoints: endpoints, send: ProviderTransport.send(curl))
    server.namesIssuer = namesIssuer
    server.clientAuthentication = clientAuthentication
    // A token for a resource is none for the services of its issuer.
    if onlyTokens || resource != nil { server = server.forTokensAlone }
    return OAuthAuthority(
      server: server, clientID: clientID, clientSecret: clientSecret, scopes: scopes, resources: resources,
      clock: clock, keepsIdentity: true, user: { onlyTokens ? nil : $0.marked })
  }
}

extension OAuthClaims {
  /// The user; one whom the provider does not identify has a user name that says so on every
  /// screen.
  fileprivate var marked: User? {
    guard let user, self["sub"] == nil else { return self.user }
    let (name, mark) = (user.displayName, "unnamed")
    return User(
      id: user.id, username: mark, displayName: name == mark ? mark : "\(name) (\(mark))", role: user.role,
      attributes: user.attributes)
  }
}

extension ProviderSettings {
  var content: [UInt8] { content(with: [:]) }

  /// The settings for a file, with further members.
  func content(with others: JSON) -> [UInt8] {
    func object(_ members: [String: String]) -> JSON {
      JSON(members.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
    let endpoints = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.key.rawValue, $0.value) })
    let ways = Dictionary(uniqueKeysWithValues: clientAuthentication.map { ($0.key.rawValue, $0.value.rawValue) })
    let secret = clientSecret.map { String(decoding: $0.bytes, as: UTF8.self) }
    let document = JSON.document(
      [
        "issuer": .string(issuer), "client_id": .string(clientID), "client_secret": .string(orNull: secret),
        "scopes": .array(scopes.map(JSON.string)), "way": .string(orNull: way?.rawValue),
        "redirect_uri": .string(redirectURI), "parameters": object(parameters),
        "resources": .array(resources.map(JSON.string)), "lists_s256": .bool(listsS256),
        "endpoints": object(endpoints), "names_issuer": .bool(namesIssuer), "client_authentication": object(ways),
        "resource": resource?.document ?? .null, "curl": object(curl.options),
      ] + others)
    return Array((document + "\n").utf8)
  }

  init?(_ content: [UInt8]) {
    guard case .object(let list)? = JSON(parsing: content) else { return nil }
    let members = Dictionary(list.map { ($0.name, $0.value) }) { $1 }
    func text(_ name: String) -> String? { if case .string(let text)? = members[name] { text } else { nil } }
    func object(_ name: String) -> [String: String]? {
      guard case .object(let list)? = members[name] else { return nil }
      var texts: [String: String] = [:]
      for member in list {
        guard case .string(let text) = member.value else { return nil }
        texts[member.name] = text
      }
      return texts
    }
    guard members["version"] == .integer(1), let issuer = text("issuer"), issuer.isIssuer,
      let clientID = text("client_id"), case .array(let scopes)? = members["scopes"],
      let parameters = object("parameters"), let endpoints = object("endpoints"),
      case .bool(let namesIssuer)? = members["names_issuer"]
    else { return nil }
    self.init(
      issuer: issuer, clientID: clientID, clientSecret: text("client_secret").map { Secret($0) },
      scopes: scopes.compactMap { if case .string(let scope) = $0 { scope } else { nil } },
      way: text("way").flatMap(LoginWay.init), parameters: parameters, namesIssuer: namesIssuer)
    if case .array(let list)? = members["resources"] {
      resources = list.compactMap { if case .string(let address) = $0 { address } else { nil } }
    }
    listsS256 = members["lists_s256"] != .bool(false)
    if let saved = members["resource"], saved != .null {
      guard let resource = ResourceSettings(saved), !resources.isEmpty else { return nil }
      self.resource = resource
    }
    curl = CurlVariables(options: object("curl") ?? [:])
    if let address = text("redirect_uri"), LoopbackAddress(address) != nil { redirectURI = address }
    let ways = object("client_authentication") ?? [:]
    for endpoint in OAuthServer.Endpoint.allCases {
      self.endpoints[endpoint] = endpoints[endpoint.rawValue]
      clientAuthentication[endpoint] = ways[endpoint.rawValue].map(OAuthServer.ClientAuthentication.init)
    }
  }
}
