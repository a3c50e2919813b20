import AuthCore
import AuthCoreTesting
import AuthOAuth
import Guards
import Testing

/// The access token that is lent under a lease.
@Suite struct AccessTokenTests {
  @Test("the token of the login is lent until it ends soon, and then a new one")
  func renewedBefore() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    world.clock.advance(by: .seconds(239))
    #expect(try await world.accessToken(session) == first)
    world.clock.advance(by: .seconds(2))
    let second = try await world.accessToken(session)
    #expect(second != first)
    #expect(world.server.forms("/token").count == 2)
  }

  @Test("many callers share one renewal, whose token the vault gets")
  func shared() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let before = try await world.saved()
    world.clock.advance(by: .seconds(400))
    let (came, release) = (Promise<Void>(), Promise<Void>())
    let tokens = Lent()
    world.server.set { $0.hold = (came, release) }
    // Each runs until it waits, so all wait before the server answers.
    let callers = (1...50).map { _ in
      startAtOnce {
        let token = try? await world.accessToken(session)
        tokens.values.withLock { $0.append(token) }
      }
    }
    await came.valueUncancelled()
    release.fulfil(())
    for caller in callers { await caller.value }
    #expect(tokens.values.withLock { $0.count } == 50)
    #expect(Set(tokens.values.withLock { $0 }).count == 1)
    #expect(world.server.forms("/token").count == 2)
    #expect(try await world.saved() != before)
  }

  @Test("a restored session gets a token of its own")
  func restored() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    let later = OAuthWorldRestart(world)
    let session = try #require(await later.restore())
    let token = try await later.accessToken(session)
    #expect(world.server.accessTokens.contains(token))
  }

  @Test("a refused token is replaced, and the request is tried once more, and not twice")
  func refused() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.forgetAccessTokens()
    let tried = Locked<[String]>([])
    let good = try await world.authority.withAccessToken(of: session, in: world.store) { token in
      let value = token.value
      tried.withLock { $0.append(value) }
      if !world.server.accessTokens.contains(value) { throw AccessTokenRefused() }
      return token.header
    }
    #expect(tried.withLock { $0.count } == 2)
    #expect(good == "Bearer \(tried.withLock { $0.last } ?? "")")
    await #expect(throws: AccessTokenRefused.self) {
      try await world.authority.withAccessToken(of: session, in: world.store) { token in
        let value = token.value
        tried.withLock { $0.append(value) }
        throw AccessTokenRefused()
      }
    }
    #expect(tried.withLock { $0.count } == 4)
    #expect(session.isLive)
  }

  @Test("another error of the request is not tried again")
  func otherError() async throws {
    struct NotFound: Error {}
    let world = OAuthWorld()
    let session = try await world.logIn()
    await #expect(throws: NotFound.self) {
      try await world.authority.withAccessToken(of: session, in: world.store) { _ in throw NotFound() }
    }
    #expect(world.server.forms("/token").count == 1)
  }

  @Test("a refusal whose renewal the server refuses too ends the session")
  func ended() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.script("/token", 400, #"{"error": "invalid_grant"}"#)
    await #expect(throws: SessionError.ended(.revoked)) {
      try await world.authority.withAccessToken(of: session, in: world.store) { _ in throw AccessTokenRefused() }
    }
    #expect(!session.isLive)
  }

  @Test("a token that is still good is lent when the server cannot be asked for another")
  func stillGood() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    world.clock.advance(by: .seconds(270))
    world.server.set { $0.isOffline = true }
    #expect(try await world.accessToken(session) == first)
    world.clock.advance(by: .seconds(31))
    await #expect(throws: SessionError.self) { try await world.accessToken(session) }
    #expect(session.isLive)
  }

  @Test("a server that gives tokens which end at once is not asked without end")
  func limited() async throws {
    let world = OAuthWorld(renewals: 3) { $0.lifetime = 0 }
    let session = try await world.logIn()
    for _ in 1...10 {
      await #expect(throws: (any Error).self) { try await world.accessToken(session) }
    }
    #expect(world.server.forms("/token").count == 4)
  }

  @Test("a token whose end nobody knows is lent until it is refused")
  func endless() async throws {
    let world = OAuthWorld { $0.lifetime = nil }
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    world.clock.advance(by: .seconds(100_000))
    #expect(try await world.accessToken(session) == first)
  }

  @Test("after the logout nothing is lent, and a logout waits for a request")
  func logout() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let (began, release) = (Promise<Void>(), Promise<Void>())
    let request = Task {
      try await world.authority.withAccessToken(of: session, in: world.store) { _ in
        began.fulfil(())
        await release.valueUncancelled()
      }
    }
    await began.valueUncancelled()
    let logout = Task { try await world.store.logOut() }
    while session.isLive { await Task.yield() }
    #expect(world.server.forms("/revoke").isEmpty)
    await #expect(throws: SessionError.ended(.userAsked)) { try await world.accessToken(session) }
    release.fulfil(())
    try await request.value
    #expect(try await logout.value == .complete)
    #expect(world.server.forms("/revoke").count == 1)
  }

  @Test("the token of one session is not lent to another")
  func sessions() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    let next = try await world.store.switchUser(to: try world.credentials("bob")).session
    #expect(try await world.accessToken(next) != first)
    await #expect(throws: SessionError.self) { try await world.accessToken(session) }
  }
}

/// What the callers got.
private final class Lent: Sendable {
  let values = Locked<[String?]>([])
}

/// The app after a new start: the vault is what it has.
private struct OAuthWorldRestart {
  let authority: OAuthAuthority
  let store: SessionStore

  init(_ world: OAuthWorld) {
    authority = world.server.authority(world.clock)
    store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
  }

  func restore() async -> LoggedInSession? {
    await store.restore()
    return store.session
  }

  func accessToken(_ session: LoggedInSession) async throws -> String {
    try await authority.withAccessToken(of: session, in: store) { $0.value }
  }
}
