import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing
import TextFormat

/// Whose a login is, and what happens while the server does not say.
@Suite(.timeLimit(.minutes(10))) struct IdentityTests {
  private let world = OAuthWorld()

  @Test("a user id contains the server: the same id at another server is another user's")
  func issuer() async throws {
    let here = try await world.grant().user.id
    #expect(here.rawValue == "https://server.example id-alice")
    let other = world.authority { $0.issuer = "https://server.example/other" }
    world.server.script("/token", 200, world.answer())
    world.server.script("/userinfo", 200, #"{"sub": "id-alice"}"#)
    let url = try other.authorizationURL(redirectURI: "com.example.app:/login")
    let address = try world.answer(
      "com.example.app:/login?code=c&state=STATE&iss=https://server.example/other", to: url)
    let there = try await other.authenticate(try other.credentials(from: address), limits: LimitRequest())
    #expect(try #require(there.grant).user.id.rawValue == "https://server.example/other id-alice")
  }

  @Test("a name or an e-mail address identifies nobody: without `sub`, each login is a user of its own")
  func nameless() async throws {
    let body = #"{"preferred_username": "alice", "email": "alice@example.org", "name": "Alice"}"#
    func logIn() async throws -> User {
      world.server.script("/userinfo", 200, body)
      return try await world.grant().user
    }
    let (first, second) = (try await logIn(), try await logIn())
    #expect(first.username == "alice" && first.displayName == "Alice" && second.username == "alice")
    #expect(first.id != second.id)
    for user in [first, second] { #expect(!user.id.rawValue.contains("alice")) }
    // A password check by somebody whom the server does not name proves nothing about the user.
    world.server.script("/userinfo", 200, body)
    try await world.logIn()
    world.server.script("/userinfo", 200, body)
    let failure = await #expect(throws: SessionError.self) {
      _ = try await world.store.reauthenticate(with: try world.credentials(prompting: true))
    }
    #expect(failure?.code == "oauth_no_user")
    #expect(world.store.session?.user.username == "alice")
    #expect(world.server.forms("/revoke").isEmpty)
  }

  @Test("an app may choose another id, and an empty one is no user")
  func chosen() async throws {
    func authority(_ id: String) -> OAuthAuthority {
      world.authority { _ in
      } user: { _ in
        User(id: UserID(rawValue: id), username: "alice", displayName: "alice", role: .member)
      }
    }
    #expect(try await world.grant(at: authority("7")).user.id.rawValue == "https://server.example 7")
    await #expect(throws: AuthorityError<CredentialsRejection>.self) { try await world.grant(at: authority("")) }
  }

  @Test("a login asks for its user again while the server is down, and then begins the session")
  func asksAgain() async throws {
    let credentials = try world.credentials()
    world.server.script("/userinfo", 503, "")
    world.server.script("/userinfo", 429, "", ["Retry-After": "3"])
    let login = Task { try await world.store.loggedIn(credentials) }
    for wait in [1, 3] {
      await world.clock.waitForSleepers(1, dueWithin: .seconds(wait))
      world.clock.advance(by: .seconds(wait))
    }
    #expect(try await login.value.user.username == "alice")
    #expect(world.server.forms("/revoke").isEmpty)
  }

  @Test("a login whose user cannot be found out ends no other session, says what remains, and can be repeated")
  func keepsOtherSessions() async throws {
    let world = OAuthWorld { $0.endsAll = true }
    let phone = OAuthAuthority(
      server: world.server.description, clientID: "app", scopes: ["openid"], clock: world.clock, patience: .zero)
    try await world.logIn()
    let store = SessionStore(authority: phone, vault: InMemoryVault(), clock: world.clock)
    let credentials = try world.credentials(at: phone)
    world.server.script("/userinfo", 503, "")
    let failure = await #expect(throws: SessionError.self) { try await store.loggedIn(credentials) }
    #expect(failure?.code == "oauth_login_unfinished")
    #expect("\(try #require(failure))".contains("The server keeps this login"))
    #expect(world.server.forms("/revoke").isEmpty)
    _ = try await world.store.renew()
    // The code is not sent again.
    let exchanges = world.server.forms("/token").count
    #expect(try await store.loggedIn(credentials).user.username == "alice")
    #expect(world.server.forms("/token").count == exchanges)
  }

  @Test("a session of a user without a name is never confirmed, and its renewals and its logout work")
  func unnamedSession() async throws {
    let authority = world.authority {
      $0.endpoints[.introspection] = nil
      $0.endpoints[.userInfo] = nil
    }
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    let session = try await store.loggedIn(try world.credentials(at: authority))
    #expect(!session.user.isIdentified)
    let renewed = try await store.renew()
    #expect(renewed.user.id == session.user.id)
    let exchanges = world.server.forms("/token").count
    let failure = await #expect(throws: SessionError.self) {
      _ = try await store.reauthenticate(with: try world.credentials(prompting: true, at: authority))
    }
    #expect(failure?.code == "oauth_no_user")
    #expect(world.server.forms("/token").count == exchanges)
    _ = try await store.switchUser(from: renewed, to: try world.credentials(at: authority))
    #expect(try #require(store.session).user.id != session.user.id)
    #expect(try await store.logOutAnyone() == .complete)
  }

  @Test("a login whose ID token and userinfo name two users is refused, and its tokens are ended")
  func twoUsers() async throws {
    world.server.script("/userinfo", 200, #"{"sub": "id-alice"}"#)
    await #expect(throws: AuthorityError<CredentialsRejection>.self) {
      try await world.logIn { world.answer(world.claims("id-bob", nonce: $0)) }
    }
    #expect(world.server.forms("/revoke").map { $0["token"] } == ["r"])
  }

  @Test("a renewal whose ID token names another user ends the session, and nobody is lent the token")
  func renewalOfAnother() async throws {
    let session = try await world.logIn()
    world.clock.advance(by: .seconds(301))
    world.server.script("/token", 200, world.answer(refresh: "of-bob", access: "bobs", world.claims("id-bob")))
    await #expect(throws: AccessError<Never>.session(.ended(.revoked))) {
      try await session.withAccess { token in #expect(token.header != "Bearer bobs") }
    }
    #expect(session.endReason == .revoked)
    while !world.server.forms("/revoke").contains(where: { $0["token"] == "of-bob" }) { await Task.yield() }
    // The authority itself grants nothing: nobody has to be faster than the one who lends.
    let token = try await world.grant().token
    world.server.script("/token", 200, world.answer(refresh: "of-bob", access: "bobs", world.claims("id-bob")))
    await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.revoked))) {
      try await world.authority.renew(token)
    }
  }

  @Test("without an ID token the server is asked until it says whose a renewal is; another user ends the session")
  func asksUntilItKnows() async throws {
    let session = try await world.logIn()
    world.server.set { $0.impostor = "bob" }
    for _ in 1...2 { world.server.script("/userinfo", 503, "") }
    _ = try await world.store.renew()
    for wait in [5, 10] {
      await world.clock.waitForSleepers(1, dueWithin: .seconds(wait))
      #expect(session.isLive)
      world.clock.advance(by: .seconds(wait))
    }
    while session.isLive { await Task.yield() }
    #expect(session.endReason == .revoked)
  }

  @Test(
    "a login that has ended says why, and not that a password is wrong",
    arguments: [
      (400, #"{"error": "invalid_grant"}"#, "login_expired", "The code expired before it was used."),
      (400, #"{"error": "invalid_client"}"#, "oauth_invalid_client", "The server refused the request: invalid_client."),
    ])
  func sentence(status: Int, body: String, code: String, sentence: String) async throws {
    let credentials = try world.credentials()
    world.server.script("/token", status, body)
    let failure = await #expect(throws: SessionError.self) { try await world.store.loggedIn(credentials) }
    #expect(failure?.code == code && failure?.description == sentence)
    let foreign = await #expect(throws: SessionError.self) {
      try await world.store.loggedIn(.token(Secret("of nobody")))
    }
    #expect(foreign?.code == "login_foreign" && foreign?.description == "The answer does not belong to this login.")
  }

  @Test(
    "without a refresh token, only `invalid_token` ends a session",
    arguments: [
      (#"{"message": "Unauthorized"}"#, [:], false), (#"{"error": "temporarily_unavailable"}"#, [:], false),
      ("", ["WWW-Authenticate": #"Basic realm="invalid_token""#], false),
      (#"{"error": "invalid_token"}"#, [:], true),
      ("", ["www-authenticate": #"Bearer realm="x", error="invalid_token""#], true),
    ] as [(String, [String: String], Bool)])
  func unauthorized(body: String, headers: [String: String], ends: Bool) async throws {
    let world = OAuthWorld { $0.refreshes = false }
    let authority = world.authority { $0.endpoints[.introspection] = nil }
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    let session = try await store.loggedIn(try world.credentials(at: authority))
    world.server.script("/userinfo", 401, body, headers)
    await #expect(throws: SessionError.self) { try await store.renew() }
    #expect(session.isLive == !ends)
  }

  @Test("the granted scopes are those that the server named, also after a new start, and change at a renewal")
  func scopes() async throws {
    world.server.script(
      "/token", 200,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "expires_in": 300, "scope": "read"}"#)
    world.server.script("/userinfo", 200, #"{"sub": "1"}"#)
    let session = try await world.logIn()
    #expect(world.authority.grantedScopes(of: session) == ["read"])
    let next = world.authority()
    let store = SessionStore(authority: next, vault: world.vault, clock: world.clock)
    world.server.script("/introspect", 200, #"{"active": true}"#)
    await store.restore()
    #expect(next.grantedScopes(of: try #require(store.session)) == ["read"])
    world.server.script(
      "/token", 200,
      #"{"access_token": "b", "refresh_token": "s", "token_type": "Bearer", "expires_in": 300, "scope": "read write"}"#)
    #expect(next.grantedScopes(of: try await store.renew()) == ["read", "write"])
    // A server that names none granted what was requested (RFC 6749, section 5.1).
    let other = OAuthWorld()
    #expect(other.authority.grantedScopes(of: try await other.logIn()) == ["openid"])
  }

  @Test(
    "a name of the user that is no text and no number names nobody: a flag would make all users one",
    arguments: ["true", "false", "null", "1.5", "{}", #""""#])
  func flag(_ subject: String) async throws {
    world.server.script("/userinfo", 200, #"{"sub":\#(subject),"preferred_username":"alice"}"#)
    let failure = await #expect(throws: SessionError.self) { try await world.logIn() }
    #expect(failure?.code == "oauth_invalid_user")
    #expect(failure?.hint.hasPrefix("Tell the server's administrators.") == true)
    world.server.script("/userinfo", 200, #"{"sub":12,"preferred_username":"alice"}"#)
    #expect(try await world.grant().user.id.rawValue == "https://server.example 12")
  }
}
