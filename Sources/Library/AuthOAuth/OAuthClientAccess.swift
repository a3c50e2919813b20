package import AuthCore
import TextFormat

/// The access of a client that acts for itself (RFC 6749, section 4.4), such as a job of CI.
///
/// It is no ``OAuthAuthority``, and no store takes it: a server grants access tokens to the client,
/// and nobody has logged in. So there is no session, no key and no refresh token (section 4.4.3);
/// when a token expires, the client requests another one.
package struct OAuthClientAccess: Sendable {
  private let authority: OAuthAuthority
  private let parameters: [String: String]
  private let assertion: Secret?

  /// Creates the access of a client.
  ///
  /// - Parameters:
  ///   - authority: The server, the client with its secret if it has one, scopes and resources.
  ///   - parameters: Further parameters of the server, such as an audience.
  ///   - assertion: A token that another issuer signed for the client, in place of a secret (RFC
  ///     7523, section 2.2).
  package init(_ authority: OAuthAuthority, parameters: [String: String] = [:], assertion: Secret? = nil) {
    (self.authority, self.parameters, self.assertion) = (authority, parameters, assertion)
  }

  /// Requests an access token.
  ///
  /// A refresh token in the answer is not used.
  ///
  /// - Returns: The token, and what to save with it.
  /// - Throws: `unavailable` with the cause `refused` if the server does not accept the client or
  ///   its assertion.
  package func grant() async throws(OAuthError) -> ClientGrant {
    let own = ["grant_type": "client_credentials", "scope": authority.scope]
    let requested = try authority.now()
    let claims: OAuthClaims
    do throws(OAuthError) {
      claims = try await authority.post(
        (parameters as [String: String?]).merging(own) { $1 }.merging(proof) { $1 }, to: .token)
    } catch {
      guard case .unavailable(let cause) = error,
        error.isRefused("invalid_client", "unauthorized_client", "invalid_grant", "access_denied")
      else { throw error }
      throw .unavailable(Unavailability(.refused, cause.description, hint: cause.hint, code: cause.code))
    }
    let tokens = try authority.tokens(claims, replacing: nil, requested: requested)
    guard let access = tokens.access else { throw .unusable() }
    return ClientGrant(
      origin: authority.origin, access: access, requested: requested, scope: claims["scope"],
      id: OAuthAuthority.randomText())
  }

  /// Ends an access token at the server (RFC 7009).
  package func end(_ token: AccessToken) async throws(OAuthError) {
    try await authority.end(token.value, "access_token", proof: proof)
  }

  /// How the client with a secret authenticated; see ``OAuthServer/clientAuthentication``.
  package var clientAuthentication: [OAuthServer.Endpoint: OAuthServer.ClientAuthentication] {
    authority.clientAuthentication
  }

  /// The parameters of an assertion (RFC 7521, section 4.2).
  private var proof: [String: String?] {
    guard let assertion else { return [:] }
    return [
      "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      "client_assertion": String(decoding: assertion.bytes, as: UTF8.self),
    ]
  }
}

/// An access token of a client, and what a vault saves in place of a session's token.
package struct ClientGrant: Sendable, Redacted {
  let origin: Origin
  /// The access token that the server granted; nil if only the name of the grant was read.
  package let access: AccessToken?
  /// When it was requested.
  package let requested: BootInstant
  private let scope: String?
  private let id: String

  /// The scopes that the server granted; nil if it did not say.
  package var scopes: [String]? { scope?.split(separator: " ").map(String.init) }

  init(origin: Origin, access: AccessToken?, requested: BootInstant, scope: String?, id: String) {
    (self.origin, self.access, self.requested, self.scope, self.id) = (origin, access, requested, scope, id)
  }

  /// The name of this grant for the vault; it contains no secret.
  ///
  /// Each grant has another name, so that a process that waited for a lock notices a new one.
  package var name: SessionToken {
    let fields: [String: String?] = [
      "version": Self.version, "iss": origin.issuer, "client_id": origin.client, "scope": scope, "id": id,
      "boot_high": "\(requested.boot.high)", "boot_low": "\(requested.boot.low)",
      "requested": "\(requested.uptime.attoseconds)",
    ]
    return SessionToken(bytes: Array(Form.text(fields).utf8))
  }

  /// The details that a vault saves with the name.
  package var details: TokenDetails { TokenDetails(accessToken: access) }

  private static let version = "client-1"

  /// Reads what a vault saved; nil for anything else, such as a session.
  package init?(_ name: SessionToken, _ details: TokenDetails = TokenDetails()) {
    let fields = Form.fields(name.bytes) ?? [:]
    guard fields["version"] == Self.version, let issuer = fields["iss"], let client = fields["client_id"],
      let id = fields["id"], let high = fields["boot_high"].flatMap({ UInt64($0) }),
      let low = fields["boot_low"].flatMap({ UInt64($0) }), let uptime = fields["requested"].flatMap({ Int128($0) })
    else { return nil }
    self.init(
      origin: Origin(issuer: issuer, client: client), access: details.accessToken,
      requested: BootInstant(boot: BootID(high: high, low: low), uptime: Duration(attoseconds: uptime)),
      scope: fields["scope"], id: id)
  }
}
