import Guards
import Testing

@testable import AuthOAuth

/// The server's description of itself.
@Suite struct DiscoveryTests {
  private func discover(
    _ issuer: String, _ documents: [String: String]
  ) async throws(OAuthError) -> (server: OAuthServer, asked: [String]) {
    let asked = Locked<[String]>([])
    let server = try await OAuthServer.discover(issuer: issuer) { request in
      asked.withLock { $0.append(request.url) }
      return OAuthResponse(
        status: documents[request.url] == nil ? 404 : 200, body: Array((documents[request.url] ?? "").utf8))
    }
    return (server, asked.withLock { $0 })
  }

  private func document(_ issuer: String, _ more: String = "") -> String {
    #"{"issuer": "\#(issuer)", "token_endpoint": "\#(issuer)/token", "authorization_endpoint": "\#(issuer)/authorize"\#(more)}"#
  }

  @Test("the well-known place is before the path of the issuer, and after it for OpenID Connect")
  func places() async throws {
    let issuer = "https://server.example/tenant"
    let (server, asked) = try await discover(
      issuer,
      [
        "https://server.example/tenant/.well-known/openid-configuration": document(
          issuer,
          #", "userinfo_endpoint": "https://server.example/me", "authorization_response_iss_parameter_supported": true"#
        )
      ])
    #expect(
      asked == [
        "https://server.example/.well-known/oauth-authorization-server/tenant",
        "https://server.example/tenant/.well-known/openid-configuration",
      ])
    #expect(
      server
        == OAuthServer(
          issuer: issuer,
          endpoints: [
            .authorization: "\(issuer)/authorize", .token: "\(issuer)/token", .userInfo: "https://server.example/me",
          ], namesIssuer: true))
  }

  @Test("a server that calls itself something else is refused: it could hand out another's login page")
  func otherIssuer() async {
    for issuer in ["https://evil.example", "https://server.example/"] {
      await #expect(throws: OAuthError.self) {
        try await discover(
          "https://server.example",
          ["https://server.example/.well-known/oauth-authorization-server": document(issuer)])
      }
    }
  }

  @Test(
    "a server that cannot check S256 is refused, and no weaker method is used",
    arguments: ["[\"plain\"]", "[]", "\"S256\""])
  func downgrade(methods: String) async {
    await #expect(throws: OAuthError.misconfigured("The server cannot check a code with S256.")) {
      try await discover(
        "https://server.example",
        [
          "https://server.example/.well-known/oauth-authorization-server": document(
            "https://server.example", ", \"code_challenge_methods_supported\": \(methods)")
        ])
    }
  }

  @Test("a server is asked over https only")
  func insecure() async {
    await #expect(throws: OAuthError.self) { try await discover("http://server.example", [:]) }
  }
}
