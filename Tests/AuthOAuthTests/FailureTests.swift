import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// What each failure means for a session: only the server's own refusal of its token ends it.
@Suite struct FailureTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    var headers: [String: String] = [:]
    var testDescription: String { "\(status) \(body.prefix(60))" }
  }

  static let silent: [Answer] = [
    Answer(status: 400, body: "<html>Bad Request</html>"), Answer(status: 400, body: ""),
    Answer(status: 400, body: #"{"error": "invalid_request"}"#),
    Answer(status: 401, body: #"{"error": "invalid_client"}"#),
    Answer(status: 400, body: #"{"error": "bad_verification_code"}"#), Answer(status: 400, body: #"{"error": 7}"#),
    Answer(status: 400, body: #"{"error": "invalid_grant", "error": "invalid_grant"}"#),
    Answer(status: 400, body: #"["invalid_grant"]"#), Answer(status: 200, body: #"{"error": "invalid_grant"}"#),
    Answer(status: 502, body: #"{"error": "invalid_grant"}"#), Answer(status: 503, body: ""),
    Answer(status: 500, body: #"{"error": "server_error"}"#), Answer(status: 404, body: "not here"),
    Answer(status: 307, body: "", headers: ["Location": "https://evil.example/token"]), Answer(status: 204, body: ""),
    Answer(status: 200, body: "<html>Log in to this network</html>"), Answer(status: 200, body: "{}"),
    Answer(status: 429, body: "", headers: ["retry-after": "7"]), Answer(status: 403, body: "forbidden"),
  ]

  @Test("a renewal that brings no answer about the token leaves the session as it is", arguments: silent)
  func renewal(_ answer: Answer) async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let before = try await world.saved()
    world.server.script("/token", answer.status, answer.body, answer.headers)
    await #expect(throws: SessionError.self) { try await world.store.renew() }
    #expect(session.isLive)
    #expect(try await world.saved() == before)
    _ = try await world.store.renew()
  }

  @Test("a check that brings no answer about the token leaves the session as it is", arguments: silent)
  func check(_ answer: Answer) async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.script("/introspect", answer.status, answer.body, answer.headers)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    // Codes of RFC 6749 mean something at the token endpoint only.
    world.server.script("/introspect", 400, #"{"error": "invalid_grant"}"#)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    world.server.script("/introspect", 200, #"{"active": "false"}"#)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(session.isLive)
    _ = try await world.store.check()
  }

  @Test("no network leaves the session as it is")
  func offline() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.set { $0.isOffline = true }
    await #expect(throws: SessionError.self) { try await world.store.renew() }
    await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(session.isLive)
  }

  @Test("an explicit refusal of the token ends the session", arguments: [400, 401, 403], [true, false])
  func refusal(status: Int, introspects: Bool) async throws {
    let world = OAuthWorld { $0.introspects = introspects }
    let session = try await world.logIn()
    world.server.script("/token", status, #"{"error": "invalid_grant", "error_description": "gone"}"#)
    await #expect(throws: SessionError.ended(.revoked)) { try await world.store.renew() }
    #expect(session.endReason == .revoked)
  }

  @Test("a token that is not active ends the session")
  func inactive() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    world.server.script("/introspect", 200, #"{"active": false}"#)
    await #expect(throws: SessionError.ended(.revoked)) { try await world.store.check() }
  }

  @Test("a server that asks to wait is asked after that time, within reason")
  func throttled() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    for (value, seconds) in [("7", 7), ("99999999999", 3600), ("-5", 1), ("soon", 30)] {
      world.server.script("/token", 429, "", ["Retry-After": value])
      await #expect(throws: SessionError.throttled(.wait(.seconds(seconds)))) { try await world.store.renew() }
    }
  }

  @Test("a logout that the server does not hear of is not complete")
  func logout() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    world.server.script("/revoke", 503, "")
    guard case .partial = try await world.store.logOut() else {
      Issue.record("the logout was complete")
      return
    }
  }

  @Test("a server without an address for logouts is not told, and says so")
  func noRevocation() async throws {
    let world = OAuthWorld()
    let result = try await world.authority.authenticate(try world.credentials(), limits: LimitRequest())
    let grant = try #require(result.grant)
    var server = world.server.server
    server.endpoints[.revocation] = nil
    let failure = await #expect(throws: Unavailability.self) {
      try await world.server.authority(world.clock, server: server).revoke(grant.token, reason: .userAsked)
    }
    #expect(failure?.code == "oauth_no_revocation")
  }

  @Test("no secret is printed")
  func secrets() async throws {
    let world = OAuthWorld()
    let request = try world.authority.authorization()
    let credentials = try request.credentials(from: try #require(world.address(request)))
    let session = try await world.store.loggedIn(credentials)
    let device = try await world.authority.deviceAuthorization()
    world.server.script("/token", 400, #"{"error": "refresh-2 is unknown"}"#)
    let failure = await #expect(throws: SessionError.self) { try await world.store.renew() }
    var text = "\(request) \(credentials) \(session) \(device) \(ServerDouble.client) \(world.server.requests)"
    for value in [request, credentials, session, device, world.server.requests, failure as Any] as [Any] {
      dump(value, to: &text)
    }
    for secret in ["code-", "refresh-", "access-", "device-code", "verifier", "state="] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }
}
