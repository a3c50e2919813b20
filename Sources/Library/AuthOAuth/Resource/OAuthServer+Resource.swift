public import AuthCore
import TextFormat

extension OAuthServer {
  /// Finds the server that issues tokens for a resource, such as an MCP server, and what a login
  /// there would request.
  ///
  /// It sends a request without a token to the resource. The answer names the resource's metadata;
  /// otherwise that is at one of two well-known addresses (RFC 9728, section 3). An address of this
  /// machine or of its network is accepted only from a resource that is there itself, and no
  /// redirect is followed.
  ///
  /// - Parameters:
  ///   - resource: The address of the resource.
  ///   - issuer: The server to choose, if the resource names several; nil means the first.
  ///   - scopes: The scopes to request; nil means those that the resource demands or lists.
  ///   - requiresPKCE: Whether the server must announce PKCE with S256. Without that, nothing shows
  ///     that a code which somebody stole is useless.
  ///   - send: Sends the requests.
  /// - Returns: The resource, its server, and what to request.
  /// - Throws: `oauth_misconfigured` if the resource or its server has no metadata that can be
  ///   used, and `oauth_pkce_not_announced`; otherwise the failure of a request.
  public static func discover(
    resource: String, issuer: String? = nil, scopes: [String]? = nil, requiresPKCE: Bool = true,
    send: @escaping OAuthTransport
  ) async throws(OAuthError) -> ProtectedResource {
    guard let address = ResourceAddress(resource) else {
      throw .refusedResource("This is not the address of a resource: \(resource.debugDescription).")
    }
    let place = OAuthServer(issuer: resource, endpoints: [:], send: send)
    let challenge = try await place.challenge()
    let metadata = try await place.metadata(of: address, at: challenge?["resource_metadata"])
    guard let issuer = issuer ?? metadata.issuers.first, metadata.issuers.contains(issuer) else {
      throw .refusedResource("The resource \(address.text) does not name the issuer \(issuer ?? "").")
    }
    let (server, document) = try await described(issuer: issuer, send: send)
    guard server.listsS256 || !requiresPKCE else { throw .pkceNotAnnounced(issuer) }
    let demanded = challenge?["scope"].map { $0.split(separator: " ").map(String.init) } ?? []
    let offline = server.listedScopes.contains("offline_access") ? ["offline_access"] : []
    let requested = scopes ?? ((demanded.isEmpty ? metadata.scopes : demanded) + offline).distinct
    guard requested.areScopes, demanded.areScopes else {
      throw .unusableScopes(address.text)
    }
    return ProtectedResource(
      address: resource, identifier: metadata.identifier, server: server, scopes: requested, demanded: demanded,
      clients: ClientMetadata(document))
  }

  /// The challenge in the answer to a request without a token; nil if there is none.
  ///
  /// The request is one that every revision of MCP answers, and that changes nothing.
  private func challenge() async throws(OAuthError) -> BearerChallenge? {
    let response = try await response(
      to: OAuthRequest(
        method: "POST", url: issuer,
        headers: ["Accept": "application/json, text/event-stream", "Content-Type": "application/json"],
        body: Array(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.utf8)))
    if (300...399).contains(response.status) {
      _ = try Self.claims(of: response, from: issuer.host, toRefresh: false)
    }
    let header = response.headers.first { $0.key.lowercased() == "www-authenticate" }?.value
    return response.status == 401 ? header.flatMap { BearerChallenge($0) } : nil
  }

  /// Gets the metadata from the address that the challenge names, and otherwise from the well-known
  /// ones.
  private func metadata(
    of address: ResourceAddress, at named: String?
  ) async throws(OAuthError) -> ResourceMetadata {
    if let named {
      guard named.isSafeURL, issuer.mayName(named) else {
        throw .refusedResource(
          "The resource \(address.text) names its metadata at an address that is not accepted from it.")
      }
    }
    var failure: OAuthError?
    for place in ([named].compactMap(\.self) + address.wellKnown).distinct {
      let claims: OAuthClaims
      do throws(OAuthError) { claims = try await request(place, empty: 404) } catch {
        guard error.isFoundElsewhere else { throw error }
        failure = failure ?? error
        continue
      }
      if !claims.members.isEmpty { return try ResourceMetadata(claims, of: address) }
    }
    throw failure
      ?? .oauth(
        "no_resource_metadata", "The resource \(address.text) does not say which server issues its tokens.",
        hint: "Check the address. If it is right, the server may need no token, or predates RFC 9728.")
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  /// Whether another address may have what this one has not: a server that does not know an address
  /// may answer with a page, a redirect or any error.
  var isFoundElsewhere: Bool {
    if case .unavailable(let cause) = self { [.busy, .unparsable].contains(cause.cause) } else { false }
  }

  /// A resource that says what is not accepted from it.
  static func refusedResource(_ description: String) -> OAuthError {
    oauth(
      "resource_refused", description,
      hint: "Check the address. If it is right, tell the administrators of the resource. Nothing was requested.")
  }

  /// A resource whose scopes do not fit into an address, or cannot be scopes.
  package static func unusableScopes(_ resource: String) -> OAuthError {
    .refusedResource("The resource \(resource) lists scopes that cannot be requested.")
  }

  fileprivate static func pkceNotAnnounced(_ issuer: String) -> OAuthError {
    oauth(
      "pkce_not_announced", "The server \(issuer) does not announce PKCE with S256.",
      hint: "Ask its administrators. Without PKCE, a stolen code of a login can be used.")
  }
}
