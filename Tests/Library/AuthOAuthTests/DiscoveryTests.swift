import AuthCore
import Foundation
import Testing

@testable import AuthOAuth

/// The server's description of itself.
@Suite(.timeLimit(.minutes(10))) struct DiscoveryTests {
  private let server = ServerDouble()

  private func discover(_ issuer: String = ServerDouble.place) async throws(OAuthError) -> OAuthServer {
    try await OAuthServer.discover(issuer: issuer, send: server.description.send)
  }

  /// Has the server describe itself at a path.
  private func describe(
    _ issuer: String, _ more: String = "", at path: String = "/.well-known/oauth-authorization-server"
  ) {
    server.script(path, 200, #"{"issuer": "\#(issuer)", "token_endpoint": "\#(issuer)/token"\#(more)}"#)
  }

  @Test(
    "the well-known place is before the path of the issuer, and after it for OpenID Connect",
    arguments: [("/tenant", "/tenant"), ("/tenant/", "/tenant"), ("", ""), ("/", "")])
  func places(path: String, place: String) async throws {
    let issuer = ServerDouble.place + path
    let flags = #", "authorization_response_iss_parameter_supported": true"#
    describe(issuer, flags, at: "\(place)/.well-known/openid-configuration")
    let found = try await discover(issuer)
    #expect(
      server.requests.map(\.url) == [
        "https://server.example/.well-known/oauth-authorization-server\(place)",
        "https://server.example\(place)/.well-known/openid-configuration",
      ])
    #expect(found.issuer == issuer)
    #expect(found.endpoints == [.token: "\(issuer)/token"])
    #expect(found.namesIssuer)
  }

  @Test(
    "a server that calls itself something else is refused: it could hand out another's login page",
    arguments: ["https://evil.example", "https://server.example/"])
  func otherIssuer(issuer: String) async {
    describe(issuer)
    let message = "The server has no metadata for the issuer https://server.example: it names the issuer \(issuer)."
    await #expect(throws: OAuthError.misconfigured(message)) { try await discover() }
    describe("\\u001b[2J")
    await #expect(throws: OAuthError.misconfigured("The server has no metadata for the issuer https://server.example."))
    {
      try await discover()
    }
  }

  @Test(
    "the second place is asked whatever the first answers, and the first failure is told if it has nothing either",
    arguments: [
      (200, "<html>"), (301, ""), (403, "no"), (401, #"{"error": "invalid_client"}"#), (500, ""), (200, "{}"),
    ])
  func fallback(status: Int, body: String) async throws {
    server.script("/.well-known/oauth-authorization-server", status, body)
    describe(ServerDouble.place, at: "/.well-known/openid-configuration")
    #expect(try await discover().endpoints == [.token: "https://server.example/token"])
    server.script("/.well-known/oauth-authorization-server", 500, "")
    let failure = Unavailability(.busy, "The server server.example answered with status 500.", hint: "Try again later.")
    await #expect(throws: OAuthError.unavailable(failure)) { try await discover() }
    server.set { $0.isOffline = true }
    let count = server.requests.count
    await #expect(throws: OAuthError.self) { try await discover() }
    #expect(server.requests.count == count)
  }

  @Test("what the first description lacks comes from the second, if that is of the same server")
  func completedBySecond() async throws {
    let place = ServerDouble.place
    let first = #", "revocation_endpoint": "\#(place)/revoke", "authorization_endpoint": "\#(place)/a""#
    let second = "/.well-known/openid-configuration"
    let more = #", "userinfo_endpoint": "\#(place)/me", "authorization_endpoint": "\#(place)/b""#
    describe(place, first)
    describe(place, more, at: second)
    let own: [OAuthServer.Endpoint: String] = [
      .token: "\(place)/token", .revocation: "\(place)/revoke", .authorization: "\(place)/a",
    ]
    #expect(try await discover().endpoints == own.merging([.userInfo: "\(place)/me"]) { $1 })
    describe(place, first)
    describe("https://evil.example", more, at: second)
    #expect(try await discover().endpoints == own)
    describe(place, first)
    server.script(second, 500, "")
    #expect(try await discover().endpoints == own)
  }

  @Test("a document that names no issuer, or another one, is not used, and the next one is")
  func unnamed() async throws {
    let (place, second) = (ServerDouble.place, "/.well-known/openid-configuration")
    let evil = #""token_endpoint": "https://evil.example/token", "revocation_endpoint": "https://evil.example/revoke""#
    for first in ["{\(evil)}", #"{"issuer": "https://evil.example", \#(evil)}"#] {
      server.script("/.well-known/oauth-authorization-server", 200, first)
      describe(place, at: second)
      #expect(try await discover().endpoints == [.token: "\(place)/token"])
      server.script("/.well-known/oauth-authorization-server", 200, first)
      await #expect(throws: OAuthError.self) { try await discover() }
    }
  }

  @Test("an issuer with a placeholder is explained")
  func placeholder() async throws {
    describe("https://login.example/{tenantid}/v2.0")
    let failure = await #expect(throws: OAuthError.self) { try await discover() }
    #expect(failure?.description.contains("https://login.example/{tenantid}/v2.0") == true)
    #expect(failure?.hint.contains("tenant in place of {tenantid}") == true)
    describe("https://login.example/{\\u001b}")
    let other = await #expect(throws: OAuthError.self) { try await discover() }
    #expect(other?.description == "The server has no metadata for the issuer https://server.example.")
  }

  @Test("what is known of a server can be saved, so that the next start needs no network")
  func saved() async throws {
    describe(
      ServerDouble.place, #", "authorization_response_iss_parameter_supported": true, "scopes_supported": ["a"]"#)
    let found = try await discover()
    let text = try JSONEncoder().encode(found.metadata)
    let requests = server.requests.count
    let next = OAuthServer(try JSONDecoder().decode(OAuthServer.Metadata.self, from: text), send: found.send)
    #expect(next.metadata == found.metadata && next.namesIssuer && next.listedScopes == ["a"])
    #expect(next.endpoints == [.token: "https://server.example/token"])
    #expect(String(decoding: text, as: UTF8.self).contains(#""token_endpoint":"#))
    #expect(server.requests.count == requests)
  }

  @Test("each service has a list of ways in which a client authenticates, of which the safer one is used")
  func clientAuthentication() async throws {
    let lists = [
      ("token", ["client_secret_post", "client_secret_basic"]),
      ("revocation", ["private_key_jwt", "client_secret_post"]),
      ("introspection", ["private_key_jwt"]),
    ]
    describe(
      ServerDouble.place, lists.map { #", "\#($0)_endpoint_auth_methods_supported": \#($1)"# }.joined())
    let found = try await discover()
    #expect(found.clientAuthentication == [.token: .basic, .revocation: .post])
    let text = try JSONEncoder().encode(found.metadata)
    let next = OAuthServer(try JSONDecoder().decode(OAuthServer.Metadata.self, from: text), send: found.send)
    #expect(next.clientAuthentication == found.clientAuthentication)
  }

  @Test(
    "a server that cannot check S256 is refused, and no weaker method is used",
    arguments: [("[\"plain\"]", false), ("[]", false), ("\"S256\"", false), ("[\"plain\", \"S256\"]", true)])
  func downgrade(methods: String, isEnough: Bool) async throws {
    describe(ServerDouble.place, ", \"code_challenge_methods_supported\": \(methods)")
    if isEnough { return #expect(try await discover().listsS256) }
    await #expect(throws: OAuthError.misconfigured("The server does not support PKCE with S256.")) {
      try await discover()
    }
  }

  @Test("a server without a list of methods may support S256, and is known as one without a list")
  func unlisted() async throws {
    for more in ["", ", \"code_challenge_methods_supported\": null"] {
      describe(ServerDouble.place, more)
      let found = try await discover()
      #expect(!found.listsS256)
      #expect(!OAuthServer(found.metadata, send: found.send).listsS256)
    }
  }

  @Test("a server is asked over https only", arguments: ["http://server.example", "server.example", ""])
  func insecure(issuer: String) async {
    await #expect(throws: OAuthError.misconfigured("An address of the server is not secure.")) {
      try await discover(issuer)
    }
    #expect(server.requests == [])
  }
}
