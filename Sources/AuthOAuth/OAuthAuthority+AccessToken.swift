package import AuthCore

// What a program asks the server with an access token.
extension OAuthAuthority {
  /// Ends an access token at the server (RFC 7009).
  package func end(_ token: AccessToken) async throws(OAuthError) {
    _ = try await post(["token": token.value, "token_type_hint": "access_token"], to: .revocation, empty: 200)
  }

  /// The members that the server sends about the user of an access token (OpenID Connect Core 1.0,
  /// section 5.3); nil if it has no such service.
  package func claims(of token: borrowing LentAccessToken) async throws(OAuthError) -> OAuthClaims? {
    guard let address = server.endpoints[.userInfo] else { return nil }
    return try await server.request(address, authorization: token.header)
  }
}
