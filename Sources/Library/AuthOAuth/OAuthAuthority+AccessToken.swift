package import AuthCore

/// What the token of a saved session, or the name of a client's grant, says without a request.
package struct SavedLogin: Sendable {
  /// When its access token was requested.
  package let requested: BootInstant
  /// The scopes that the server granted; nil if it did not say.
  package let scopes: [String]?
  /// Whether the server gave a refresh token, or the client gets an access token without one.
  package let isRenewable: Bool
  private let limits: SessionLimits?

  /// Nil for a token of another authority.
  package init?(_ token: SessionToken) {
    if let saved = SavedSession(token) {
      (requested, isRenewable, limits) = (saved.active, !saved.isAccess, saved.grant(token).limits)
      scopes = saved.scope?.split(separator: " ").map(String.init)
    } else if let grant = ClientGrant(token) {
      (requested, scopes, isRenewable, limits) = (grant.requested, grant.scopes, true, nil)
    } else {
      return nil
    }
  }

  /// The limit of the login that has ended the session; nil if there is none.
  package func endReason(at now: BootInstant) -> EndReason? { limits?.endReason(at: now) }
}

// What a program asks the server with an access token.
extension OAuthAuthority {
  /// Ends an access token at the server (RFC 7009).
  package func end(_ token: AccessToken) async throws(OAuthError) {
    try await end(token.value, "access_token")
  }

  /// The members that the server sends about the user of an access token (OpenID Connect Core 1.0,
  /// section 5.3); nil if it has no such service, or does not tell this client.
  ///
  /// Members about another user are refused (section 5.3.2). A user whom the server does not name
  /// has nothing to compare.
  package func claims(
    about user: User, of token: borrowing LentAccessToken
  ) async throws(OAuthError) -> OAuthClaims? {
    guard let address = server.endpoints[.userInfo] else { return nil }
    let claims: OAuthClaims
    do throws(OAuthError) { claims = try await server.request(address, authorization: token.header) } catch {
      // A token that is over is renewed; one for another service is never accepted here.
      guard error.isAnswer, !error.isRefused("invalid_token") else { throw error }
      return nil
    }
    if let subject = claims["sub"], user.isIdentified, user.id.rawValue != "\(server.issuer) \(subject)" {
      throw .otherUser
    }
    return claims
  }
}
