import Guards
import Testing

@testable import AuthOAuth

/// The server's description of itself.
@Suite struct DiscoveryTests {
  private static let first = "https://server.example/.well-known/oauth-authorization-server"

  private func discover(
    _ issuer: String, _ documents: [String: String]
  ) async throws(OAuthError) -> (server: OAuthServer, asked: [String]) {
    let asked = Locked<[String]>([])
    let server = try await OAuthServer.discover(issuer: issuer) { request in
      asked.withLock { $0.append(request.url) }
      return (documents[request.url] == nil ? 404 : 200, [:], Array((documents[request.url] ?? "").utf8))
    }
    return (server, asked.withLock { $0 })
  }

  private func document(_ issuer: String, _ more: String = "") -> String {
    #"{"issuer": "\#(issuer)", "token_endpoint": "\#(issuer)/token", "authorization_endpoint": "\#(issuer)/authorize"\#(more)}"#
  }

  @Test(
    "the well-known place is before the path of the issuer, and after it for OpenID Connect",
    arguments: ["https://server.example/tenant", "https://server.example/tenant/", "https://server.example/"])
  func places(issuer: String) async throws {
    let path = issuer.contains("tenant") ? "/tenant" : ""
    let last = "https://server.example\(path)/.well-known/openid-configuration"
    let more =
      #", "userinfo_endpoint": "https://server.example/me", "authorization_response_iss_parameter_supported": true"#
    let (server, asked) = try await discover(issuer, [last: document(issuer, more)])
    #expect(asked == [Self.first + path, last])
    #expect(server.issuer == issuer)
    #expect(server.namesIssuer)
    #expect(
      server.endpoints == [
        .authorization: "\(issuer)/authorize", .token: "\(issuer)/token", .userInfo: "https://server.example/me",
      ])
    #expect(
      try await !discover("https://server.example", [Self.first: document("https://server.example")]).server.namesIssuer
    )
  }

  @Test(
    "a server that calls itself something else is refused: it could hand out another's login page",
    arguments: ["https://evil.example", "https://server.example/"])
  func otherIssuer(issuer: String) async {
    await #expect(throws: OAuthError.misconfigured("The server does not describe itself as https://server.example.")) {
      try await discover("https://server.example", [Self.first: document(issuer)])
    }
  }

  @Test(
    "a server that cannot check S256 is refused, and no weaker method is used",
    arguments: ["[\"plain\"]", "[]", "\"S256\""])
  func downgrade(methods: String) async {
    let document = document("https://server.example", ", \"code_challenge_methods_supported\": \(methods)")
    await #expect(throws: OAuthError.misconfigured("The server cannot check a code with S256.")) {
      try await discover("https://server.example", [Self.first: document])
    }
  }

  @Test("a server is asked over https only", arguments: ["http://server.example", "server.example", ""])
  func insecure(issuer: String) async {
    await #expect(throws: OAuthError.misconfigured("An address of the server is not secure.")) {
      try await discover(issuer, [:])
    }
  }
}
