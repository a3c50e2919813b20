package import AuthCore

// What a program asks the server with an access token.
extension OAuthAuthority {
  /// When the access token of a saved session, or of a client's grant, was requested; nil for a
  /// token of another authority.
  package static func requestTime(of token: SessionToken) -> BootInstant? {
    SavedSession(token)?.active ?? ClientGrant(token)?.requested
  }

  /// The limit of the login that has ended a saved session; nil if there is none, and for a token
  /// of another authority.
  package static func endReason(of token: SessionToken, at now: BootInstant) -> EndReason? {
    SavedSession(token)?.grant(token).limits.endReason(at: now)
  }

  /// The scopes of a saved session, if the server named them, and whether it has a refresh token;
  /// nil for a token of another authority.
  package static func granted(with token: SessionToken) -> (scopes: [String]?, isRenewable: Bool)? {
    SavedSession(token).map { ($0.scope?.split(separator: " ").map(String.init), !$0.isAccess) }
  }

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
