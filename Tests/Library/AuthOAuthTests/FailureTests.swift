import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthOAuth
import Foundation
import Testing

/// What each failure means for a session: only the server's own refusal of its token ends it.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
  private let world = OAuthWorld()

  @Test(
    "a renewal or a check that brings no answer about the token leaves the session as it is",
    arguments: [
      (400, "<html>Bad Request</html>", [:]), (401, "", [:]), (400, #"{"error": "invalid_request"}"#, [:]),
      (401, #"{"error": "invalid_client"}"#, [:]), (400, #"{"error": "bad_verification_code"}"#, [:]),
      (400, #"{"error": 7}"#, [:]), (400, #"{"error": "invalid_grant", "error": "invalid_grant"}"#, [:]),
      (400, #"["invalid_grant"]"#, [:]), (200, #"{"error": "invalid_grant"}"#, [:]),
      (502, #"{"error": "invalid_grant"}"#, [:]), (503, "", [:]), (500, #"{"error": "server_error"}"#, [:]),
      (404, "not here", [:]), (307, "", ["Location": "https://evil.example/token"]), (204, "", [:]),
      (307, #"{"error": "invalid_grant"}"#, [:]), (200, "<html>Log in to this network</html>", [:]),
      (200, "{}", [:]), (429, #"{"error": "invalid_grant"}"#, ["retry-after": "7"]), (403, "forbidden", [:]),
    ] as [(Int, String, [String: String])])
  func silent(status: Int, body: String, headers: [String: String]) async throws {
    let session = try await world.logIn()
    let before = try await world.vault.saved()
    world.server.script("/token", status, body, headers)
    await #expect(throws: SessionError.self) { try await world.store.renew() }
    world.server.script("/introspect", status, body, headers)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(session.isLive)
    #expect(try await world.vault.saved() == before)
    _ = try await world.store.renew()
    _ = try await world.store.check()
  }

  @Test(
    "only introspection's own words end a session there, and an answer for another user is not believed",
    arguments: [
      (400, #"{"error": "invalid_grant"}"#), (200, #"{"active": "false"}"#), (200, #"{"active": 0}"#),
      (200, #"{"active": true, "sub": "id-bob"}"#),
    ])
  func introspection(status: Int, body: String) async throws {
    let session = try await world.logIn()
    world.server.script("/introspect", status, body)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(session.isLive)
    world.server.script("/introspect", 200, #"{"active": false}"#)
    await #expect(throws: SessionError.ended(.revoked)) { try await world.store.check() }
  }

  @Test("an explicit refusal of the token ends the session", arguments: [400, 401, 403], [true, false])
  func refusal(status: Int, introspects: Bool) async throws {
    let world = OAuthWorld { $0.introspects = introspects }
    let session = try await world.logIn()
    world.server.script("/token", status, #"{"error": "invalid_grant", "error_description": "gone"}"#)
    await #expect(throws: SessionError.ended(.revoked)) { try await world.store.renew() }
    #expect(session.endReason == .revoked)
  }

  @Test(
    "a refusal that may not be of the refresh token ends nothing; after a minute it needs a login, and keeps the token",
    arguments: [("", "oauth_no_reason"), (#"{"error": "invalid_request"}"#, "oauth_invalid_request")])
  func unclearRefusal(answer: String, code: String) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let vault = FileVault(directory: directory, clock: world.clock)
    func process() async -> SessionStore {
      let store = SessionStore(authority: world.authority(), vault: vault, clock: world.clock)
      await store.restore()
      return store
    }
    let first = SessionStore(authority: world.authority, vault: vault, clock: world.clock)
    try await first.loggedIn(try world.credentials())
    let before = await vault.load()
    var codes: [String] = []
    for wait in [0, 30, 31] {
      world.clock.advance(by: .seconds(wait))
      world.server.script("/token", 400, answer)
      let store = await process()
      let failure = await #expect(throws: SessionError.self) { try await store.renew() }
      codes.append(failure?.code ?? "")
      world.clock.advance(by: .seconds(1))
    }
    #expect(codes == [code, code, "login_needed"])
    #expect(first.session?.isLive == true)
    #expect(await vault.load() == before)
    // A login begins new tokens.
    let store = SessionStore(authority: world.authority, vault: vault, clock: world.clock)
    await store.restore()
    let credentials = try world.credentials()
    world.server.script("/token", 400, answer)
    _ = try await store.reauthenticate(with: credentials).key
    #expect(await vault.load() != before)
    // The proxy that answered is gone.
    world.clock.advance(by: .seconds(61))
    _ = try await process().renew()
  }

  @Test(
    "each refusal of a renewal is said: dead tokens end the session, and conditions that a login lifts keep it",
    arguments: [
      (401, "invalid_token", nil), (400, "expired_token", nil), (400, "interaction_required", "login_needed"),
      (400, "login_required", "login_needed"), (403, "consent_required", "login_needed"),
    ] as [(Int, String, String?)])
  func refusals(status: Int, error: String, code: String?) async throws {
    let session = try await world.logIn()
    let before = try await world.vault.saved()
    world.server.script("/token", status, #"{"error": "\#(error)"}"#)
    let failure = await #expect(throws: SessionError.self) { try await world.store.renew() }
    #expect(failure?.code == code ?? "session_revoked")
    #expect(session.isLive == (code != nil))
    guard code != nil else { return }
    #expect("\(try #require(failure))".contains(error) && failure?.hint == "Log in again.")
    #expect(try await world.vault.saved() == before)
  }

  @Test(
    "a refusal has the error of the server and its words, escaped, bounded and without a secret of the request",
    arguments: [
      (
        #"{"error": "invalid_target", "error_description": "No such API."}"#,
        #"invalid_target. server.example says: "No such API."."#
      ),
      (
        #"{"error": "invalid_client", "error_description": "AADSTS7000215: \"x\"\r\n\u001b[2J", "correlation_id": "a-1"}"#,
        #"invalid_client. server.example says: "AADSTS7000215: 'x'\r\n\u{1B}[2J" (reference a-1)."#
      ),
      (#"{"error": "invalid_scope", "error_description": "used REFRESH"}"#, "invalid_scope."),
      (#"{"error": "\u001b[2J", "error_description": ""}"#, "unknown_error."),
    ])
  func words(body: String, expected: String) async throws {
    try await world.logIn()
    _ = try await world.store.renew()
    let spent = try #require(world.server.forms("/token").last?["refresh_token"])
    // The next one, by the numbers of this server.
    let secret = spent.replacing(/[0-9]+$/) { "\((Int($0.output) ?? 0) + 2)" }
    world.server.script("/token", 400, body.replacing("REFRESH", with: secret))
    let failure = await #expect(throws: SessionError.self) { try await world.store.renew() }
    #expect(world.server.forms("/token").last?["refresh_token"] == secret)
    guard case .unavailable(let cause)? = failure else { throw try #require(failure) }
    #expect(cause.description == "The server refused the request: \(expected)")
  }

  @Test(
    "a server that asks to wait is asked after that time, within reason",
    arguments: [
      ("7", 7), ("99999999999", 3600), ("-5", 1), ("soon", 30), ("Sat, 31 Jan 2026 09:31:15 GMT", 75),
      ("Sun, 01 Feb 2026 09:30:00 GMT", 3600), ("Sat, 31 Jan 2026 09:00:00 GMT", 1),
      ("Sat, 31 Foo 2026 09:31:00 GMT", 30),
    ])
  func throttled(value: String, seconds: Int) async throws {
    try await world.logIn()
    world.server.script("/token", 429, "", ["Retry-After": value, "Date": "Sat, 31 Jan 2026 09:30:00 GMT"])
    await #expect(throws: SessionError.throttled(.wait(.seconds(seconds)))) { try await world.store.renew() }
  }

  @Test(
    "a failure of curl says which server failed, without its query, and whether it may have got the request",
    arguments: [
      (5, "The name of the proxy cannot be found.", true),
      (7, "The server server.example:8443 accepts no connection.", true),
      (52, "The answer of the server server.example:8443 did not arrive completely.", false),
    ])
  func unsent(status: Int32, description: String, isUnsent: Bool) async throws {
    let token = try await world.grant().token
    let authority = world.authority { server in
      server = OAuthServer(issuer: server.issuer, endpoints: server.endpoints) { _ in throw CurlFailure.failed(status) }
      server.endpoints[.token] = "https://server.example:8443/token?key=secret"
    }
    let failure = await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.renew(token) }
    guard case .unavailable(let cause)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(cause.isUnsent == isUnsent && cause.description == description)
  }

  @Test("a server without an address for logouts is not told, and says so")
  func noRevocation() async throws {
    let token = try await world.grant().token
    let authority = world.authority { $0.endpoints[.revocation] = nil }
    let failure = await #expect(throws: Unavailability.self) { try await authority.revoke(token, reason: .userAsked) }
    #expect(failure?.code == "oauth_no_revocation" && failure?.cause == .unsupported)
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    _ = try await store.loggedIn(try world.credentials(at: authority))
    #expect(try await store.logOutAnyone() == .withoutRevocation)
    #expect(await world.vault.load() == .absent)
  }

  @Test("a server that cannot end this kind of token is no failed logout, and any other refusal is one")
  func refusedRevocation() async throws {
    try await world.logIn()
    world.server.script("/revoke", 400, #"{"error": "unsupported_token_type"}"#)
    #expect(try await world.store.logOutAnyone() == .withoutRevocation)
    try await world.logIn()
    // In the form, and then with the id in a header.
    for _ in 1...2 { world.server.script("/revoke", 401, #"{"error": "invalid_client"}"#) }
    guard case .partial(let left, _) = try await world.store.logOutAnyone() else {
      Issue.record("not revoked, and not said")
      return
    }
    #expect(left.notRevoked && !left.notErased)
  }

  @Test("no secret is printed")
  func secrets() async throws {
    let credentials = try world.credentials()
    let session = try await world.store.loggedIn(credentials)
    let device = try await world.authority.deviceAuthorization()
    world.server.script("/token", 400, #"{"error": "refresh-2 is unknown"}"#)
    let failure = await #expect(throws: SessionError.self) { try await world.store.renew() }
    var text = ""
    for value in [credentials, session, device, world.authority, world.server.requests, failure as Any] as [Any] {
      print(value, to: &text)
      dump(value, to: &text)
    }
    for secret in ["code-", "refresh-", "access-", "device-code", "verifier", "state="] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }
}
