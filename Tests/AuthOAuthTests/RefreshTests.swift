import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// The refresh token: rotation, and who is asked about it.
@Suite struct RefreshTests {
  @Test(
    "a renewal puts the new token into the vault, and the session goes on after a new start", arguments: [true, false])
  func rotation(rotates: Bool) async throws {
    let world = OAuthWorld { $0.rotates = rotates }
    let session = try await world.logIn()
    let before = try await world.saved()
    _ = try await world.store.renew()
    #expect((try await world.saved() != before) == rotates)
    let later = SessionStore(
      authority: world.server.authority(world.clock), vault: world.vault, clock: world.clock)
    await later.restore()
    let restored = try #require(later.session)
    #expect(restored.id == session.id)
    #expect(restored.user == session.user)
    _ = try await later.renew()
  }

  @Test("another process renewed first: its token is taken over, and nobody is logged out", arguments: [true, false])
  func overtaken(introspects: Bool) async throws {
    let world = OAuthWorld {
      $0.detectsReuse = false
      $0.introspects = introspects
    }
    let session = try await world.logIn()
    let other = SessionStore(
      authority: world.server.authority(world.clock), vault: world.vault, clock: world.clock)
    await other.restore()
    _ = try await other.renew()
    _ = try await other.renew()
    _ = try? await world.store.renew()
    #expect(session.isLive)
    _ = try await world.store.renew()
    _ = try await other.check()
  }

  @Test("a token that the vault could not take is not forgotten: the old one is spent")
  func unsaved() async throws {
    let world = OAuthWorld()
    let result = try await world.authority.authenticate(try world.credentials(), limits: LimitRequest())
    let grant = try #require(result.grant)
    for _ in 1...3 { _ = try await world.authority.renew(grant.token) }
    #expect(
      world.server.forms("/token").suffix(3).map { $0["refresh_token"] } == ["refresh-3", "refresh-5", "refresh-7"])
    try await world.authority.revoke(grant.token, reason: .userAsked)
    #expect(Set(world.server.forms("/revoke").map { $0["token"] }) == ["refresh-3", "refresh-9"])
  }

  @Test(
    "a server that answers for another user ends nothing, lends nothing, and its new tokens are ended",
    arguments: [true, false])
  func otherUser(rotates: Bool) async throws {
    let world = OAuthWorld { $0.rotates = rotates }
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    world.server.set { $0.impostor = "bob" }
    await #expect(throws: SessionError.self) { try await world.store.renew() }
    #expect(session.isLive)
    #expect(session.user.username == "alice")
    #expect(world.server.forms("/revoke").count == (rotates ? 1 : 0))
    #expect(try await world.accessToken(session) == first)
    world.clock.advance(by: .seconds(400))
    await #expect(throws: (any Error).self) { try await world.accessToken(session) }
  }

  @Test("introspection that answers for another user is not believed")
  func otherSubject() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.script("/introspect", 200, #"{"active": true, "sub": "id-bob"}"#)
    await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(session.isLive)
  }

  @Test("a server that cannot say who the user is does not lose the new token")
  func profile() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    let before = try await world.saved()
    world.server.script("/userinfo", 503, "")
    _ = try await world.store.renew()
    #expect(try await world.saved() != before)
    _ = try await world.store.renew()
  }

  @Test("what the server says of the user is saved with the session, and changes with a renewal")
  func attributes() async throws {
    let world = OAuthWorld()
    func answer(_ email: String) {
      world.server.script(
        "/userinfo", 200,
        #"{"sub": "id-alice", "preferred_username": "alice", "email": "\#(email)", "email_verified": true, "age": 7}"#)
    }
    answer("a=&b@example.org")
    let session = try await world.logIn()
    #expect(session.user.attributes == ["email": "a=&b@example.org"])
    let restored = SessionStore(authority: world.authority, vault: world.vault, clock: world.clock)
    await restored.restore()
    #expect(restored.session?.user == session.user)
    answer("new@example.org")
    #expect(try await restored.renew().user.attributes == ["email": "new@example.org"])
  }

  @Test("a new name of the user arrives with a renewal")
  func newName() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    world.server.script("/userinfo", 200, #"{"sub": "id-alice", "preferred_username": "alice", "name": "Alice B."}"#)
    #expect(try await world.store.renew().user.displayName == "Alice B.")
  }

  @Test("the user is who the server says at userinfo, at introspection, or beside the tokens")
  func sources() async throws {
    let world = OAuthWorld()
    var server = world.server.server
    server.endpoints[.userInfo] = nil
    let introspected = world.server.authority(world.clock, server: server)
    let credentials = try world.credentials(at: introspected)
    let result = try await introspected.authenticate(credentials, limits: LimitRequest())
    let grant = try #require(result.grant)
    #expect(grant.user.username == "alice")
    #expect(try await introspected.resume(grant.token).user == grant.user)
    server.endpoints[.introspection] = nil
    let claimed = OAuthAuthority(
      server: server, client: ServerDouble.client, clock: world.clock,
      user: { claims in
        claims["login"].map { User(id: UserID(rawValue: $0), username: $0, displayName: $0, role: .administrator) }
      }
    ) { try await world.server.send($0) }
    world.server.script(
      "/token", 200, #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "login": 42}"#)
    #expect(
      try await claimed.authenticate(try world.credentials(at: claimed), limits: LimitRequest()).grant?.user.id.rawValue
        == "42")
    await #expect(throws: AuthorityError<CredentialsRejection>.self) {
      try await claimed.authenticate(try world.credentials(at: claimed), limits: LimitRequest())
    }
    // The tokens of a login that failed are ended.
    #expect(world.server.forms("/revoke").count == 1)
  }

  @Test("a server that does not know refresh tokens at introspection is not asked about them again")
  func unknownThere() async throws {
    let world = OAuthWorld { $0.introspects = false }
    let session = try await world.logIn()
    let asked = world.server.forms("/introspect").count
    _ = try await world.store.check()
    #expect(session.isLive)
    #expect(world.server.forms("/introspect").count == asked)
  }

  @Test("the store keeps the limits that were asked for, and a restart of the machine ends such a session")
  func limits() async throws {
    let world = OAuthWorld()
    let session = try await world.store.loggedIn(
      try world.credentials(), limits: LimitRequest(idle: .seconds(60), absolute: .seconds(600)))
    guard case .at = session.limits.absolute else {
      Issue.record("the session has no longest duration")
      return
    }
    world.clock.reboot()
    let later = SessionStore(authority: world.authority, vault: world.vault, clock: world.clock)
    guard case .loggedOut(.ended(.rebooted)) = await later.restore() else {
      Issue.record("the session survived a restart")
      return
    }
  }

  @Test("a session without such limits survives a restart of the machine")
  func restart() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.clock.reboot()
    let later = SessionStore(authority: world.authority, vault: world.vault, clock: world.clock)
    await later.restore()
    let restored = try #require(later.session)
    #expect(restored.id == session.id)
  }
}
