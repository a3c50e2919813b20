import AuthCore
import AuthOAuth
import Testing
import TextFormat

// Logins whose answer has an ID token.
extension OAuthWorld {
  /// An answer of the token endpoint, with an ID token if it has claims.
  func answer(
    refresh: String = "r", access: String = "a", _ claims: JSON? = nil, header: JSON = ["alg": "RS256"]
  ) -> String {
    answer(
      refresh: refresh, access: access, identity: claims.map { .string(ServerDouble.identity($0, header: header)) })
  }

  func answer(refresh: String = "r", access: String = "a", identity: JSON?) -> String {
    let members: JSON = [
      "access_token": .string(access), "refresh_token": .string(refresh), "token_type": "Bearer", "expires_in": 300,
      "id_token": identity ?? .null,
    ]
    return members.text
  }

  func claims(_ subject: String, nonce: String? = nil) -> JSON {
    [
      "iss": .string(ServerDouble.place), "sub": .string(subject), "aud": "app",
      "exp": .integer(ServerDouble.wallClock + 300), "nonce": .string(orNull: nonce),
    ]
  }

  /// A login in the browser, whose answer is created from the nonce.
  func logIn(
    at other: OAuthAuthority? = nil, answering answer: (String) throws -> String
  ) async throws -> Grant {
    let authority = other ?? self.authority
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login")
    let nonce = try #require(url.firstMatch(of: /nonce=([^&]*)/)?.1)
    server.script("/token", 200, try answer(String(nonce)))
    let credentials = try authority.credentials(from: try server.browse(url))
    return try #require(try await authority.authenticate(credentials, limits: LimitRequest()).grant)
  }
}
