import AuthCore
import TextFormat

/// A resource that needs an access token, such as an MCP server, and the server that issues tokens
/// for it (RFC 9728).
///
/// It shows what a login would request. Show that to the user before the browser opens: a hostile
/// resource can name an honest server, and gets a token that works elsewhere if that server ignores
/// the parameter `resource` (RFC 8707).
///
/// ```swift
/// import AuthCore
/// import AuthOAuth
///
/// func authority(
///   for address: String, returningTo redirectURI: String, _ clock: any SessionClock,
///   mayAsk: (ProtectedResource) -> Bool
/// ) async throws -> OAuthAuthority? {
///   let resource = try await OAuthServer.discover(resource: address, send: CurlTransport().send)
///   guard mayAsk(resource) else { return nil }
///   let client = try await resource.register(name: "My app", redirectURI: redirectURI)
///   return OAuthAuthority(resource: resource, client: client, clock: clock)
/// }
/// ```
public struct ProtectedResource: Sendable {
  /// The address that was asked.
  public let address: String
  /// The resource as its server writes it: what the tokens are requested for.
  public let identifier: String
  /// The server that issues the tokens.
  public let server: OAuthServer
  /// The scopes to request: those that the resource demands, otherwise all that it lists, and
  /// `offline_access` if the server lists it.
  public package(set) var scopes: [String]
  /// The scopes of the challenge.
  package let demanded: [String]
  /// What the server says about clients.
  let clients: ClientMetadata

  /// Whether the tokens are also for other resources at the same host: the resource calls itself by
  /// an address above the one that was asked.
  public var coversMore: Bool { ResourceAddress(address) != ResourceAddress(identifier) }

  /// Whether the server that issues the tokens has another host than the resource.
  public var hasOtherHost: Bool { address.hostName != server.issuer.hostName }

  /// Whether the server announces PKCE with S256.
  public var announcesPKCE: Bool { server.listsS256 }

  /// Whether the server registers clients (RFC 7591).
  public var registersClients: Bool { clients.registration != nil }

  /// Whether the server reads the address of a client's metadata as its id (OAuth Client ID
  /// Metadata Document).
  public var readsClientDocuments: Bool { clients.readsDocuments }
}

/// What the metadata of a server says about clients.
struct ClientMetadata: Sendable, Equatable {
  /// Where it registers them.
  let registration: String?
  /// How they may authenticate at the token endpoint; empty if it does not say.
  let methods: [String]
  let readsDocuments: Bool

  init(_ document: OAuthClaims) {
    registration = document["registration_endpoint"]
    methods = document.list("token_endpoint_auth_methods_supported")
    readsDocuments = document.members["client_id_metadata_document_supported"] == .bool(true)
  }
}

/// What a resource says about itself (RFC 9728, section 2).
struct ResourceMetadata: Equatable {
  let identifier: String
  let issuers: [String]
  let scopes: [String]

  /// Reads the metadata of a resource.
  ///
  /// - Throws: `oauth_resource_refused` if it is that of another resource, or cannot be used.
  init(_ claims: OAuthClaims, of address: ResourceAddress) throws(OAuthError) {
    guard let identifier = claims["resource"], let named = ResourceAddress(identifier), address.isWithin(named) else {
      let other = claims["resource"].flatMap { $0.isSafeURL && $0.utf8.count <= 200 ? ": it names \($0)" : nil }
      throw .refusedResource("The metadata of the resource \(address.text) is of another one\(other ?? "").")
    }
    let listed = claims.list("authorization_servers")
    let issuers = listed.filter { $0.isIssuer && address.text.mayName($0) }
    guard !issuers.isEmpty else {
      throw .refusedResource(
        listed.isEmpty
          ? "The resource \(address.text) does not say which server issues its tokens."
          : "The resource \(address.text) names a server at an address that is not accepted from it.")
    }
    let methods = claims.list("bearer_methods_supported")
    guard methods.isEmpty || methods.contains("header") else {
      throw .refusedResource("The resource \(address.text) takes no token in a header.")
    }
    (self.identifier, self.issuers, scopes) = (identifier, issuers, claims.list("scopes_supported"))
  }
}
