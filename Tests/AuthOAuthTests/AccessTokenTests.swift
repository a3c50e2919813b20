import AuthCore
import AuthCoreTesting
import AuthOAuth
import Guards
import Testing

/// The access token of the server, which the session lends.
@Suite struct AccessTokenTests {
  @Test("the access token is lent, never the refresh token, and renewed before the end that the server gave")
  func renewedBefore() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    #expect(world.server.accessTokens == [first])
    world.clock.advance(by: .seconds(239))
    #expect(try await world.accessToken(session) == first)
    world.clock.advance(by: .seconds(2))
    let second = try await world.accessToken(session)
    #expect(world.server.accessTokens == [first, second])
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

  @Test("the lifetime counts from the request, not from its answer")
  func slowAnswer() async throws {
    let world = OAuthWorld()
    let (came, release) = (Promise<Void>(), Promise<Void>())
    world.server.set { $0.hold = (came, release) }
    let login = Task { try await world.logIn() }
    await came.valueUncancelled()
    world.clock.advance(by: .seconds(50))
    release.fulfil(())
    let session = try await login.value
    let first = try await world.accessToken(session)
    // It ends at 300 s, and has 250 s left.
    world.clock.advance(by: .seconds(189))
    #expect(try await world.accessToken(session) == first)
    world.clock.advance(by: .seconds(2))
    #expect(try await world.accessToken(session) != first)
  }

  @Test("a restored session gets a token of its own")
  func restored() async throws {
    let world = OAuthWorld()
    try await world.logIn()
    let later = SessionStore(
      authority: world.server.authority(world.clock), vault: world.vault, clock: world.clock)
    await later.restore()
    let token = try await world.accessToken(try #require(later.session))
    #expect(world.server.accessTokens.contains(token))
  }

  @Test("a token that the server forgot is replaced")
  func refused() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.forgetAccessTokens()
    let header = try await session.withAccess { (token) async throws(AccessTokenRefused) in
      if !world.server.accessTokens.contains(token.value) { throw AccessTokenRefused() }
      return token.header
    }
    #expect(header == "Bearer \(world.server.accessTokens.first ?? "")")
  }

  @Test("a refusal whose renewal the server also refuses ends the session")
  func ended() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    world.server.script("/token", 400, #"{"error": "invalid_grant"}"#)
    await #expect(throws: AccessError<AccessTokenRefused>.session(.ended(.revoked))) {
      try await session.withAccess { (_) async throws(AccessTokenRefused) in throw AccessTokenRefused() }
    }
    #expect(!session.isLive)
  }

  @Test("a token whose end the server does not say is lent until it is refused")
  func endless() async throws {
    let world = OAuthWorld { $0.lifetime = nil }
    let session = try await world.logIn()
    let first = try await world.accessToken(session)
    world.clock.advance(by: .seconds(100_000))
    #expect(try await world.accessToken(session) == first)
  }

  @Test("a logout that waited for a request ends the refresh token at the server")
  func logout() async throws {
    let world = OAuthWorld()
    let session = try await world.logIn()
    let (began, release) = (Promise<Void>(), Promise<Void>())
    let request = Task {
      try await session.withAccess { (_) async in
        began.fulfil(())
        await release.valueUncancelled()
      }
    }
    await began.valueUncancelled()
    let logout = Task { try await world.store.logOut() }
    while session.isLive { await Task.yield() }
    #expect(world.server.forms("/revoke").isEmpty)
    release.fulfil(())
    try await request.value
    #expect(try await logout.value == .complete)
    #expect(world.server.forms("/revoke").count == 1)
  }
}

/// What the callers got.
private final class Lent: Sendable {
  let values = Locked<[String?]>([])
}
