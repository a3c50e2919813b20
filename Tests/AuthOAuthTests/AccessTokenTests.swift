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
    let first = try await session.withAccess { $0.header }
    #expect(world.server.accessTokens.map { "Bearer \($0)" } == [first])
    world.clock.advance(by: .seconds(239))
    #expect(try await session.withAccess { $0.header } == first)
    let before = try await world.saved()
    world.clock.advance(by: .seconds(2))
    #expect(try await session.withAccess { $0.header } != first)
    #expect(world.server.accessTokens.count == 2)
    #expect(world.server.forms("/token").count == 2)
    #expect(try await world.saved() != before)
  }

  @Test("the lifetime counts from the request, not from its answer")
  func slowAnswer() async throws {
    let world = OAuthWorld()
    let (came, release) = (Promise<Void>(), Promise<Void>())
    world.server.set { $0.hold = (came, release) }
    let start = try world.clock.now()
    let login = Task { try await world.grant() }
    await came.valueUncancelled()
    world.clock.advance(by: .seconds(50))
    release.fulfil(())
    #expect(try await login.value.accessToken?.deadline == .at(start.advanced(by: .seconds(300))))
  }

  @Test(
    "a lifetime beyond reason neither traps nor lasts, and a token without one lasts until it is refused",
    arguments: [
      ("300", 300), ("\"300\"", 300), ("0", 0), ("-1", 0), ("9223372036854775807", 1 << 31), ("1e300", nil),
      ("\"soon\"", nil), ("null", nil), ("99999999999999999999", nil), ("{}", nil),
    ] as [(String, Int?)])
  func lifetimes(value: String, seconds: Int?) async throws {
    let world = OAuthWorld()
    world.server.script(
      "/token", 200,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "expires_in": \#(value)}"#)
    world.server.script("/userinfo", 200, #"{"sub": "1"}"#)
    let now = try world.clock.now()
    let grant = try await world.grant()
    #expect(grant.user.username == "1")
    #expect(grant.accessToken?.deadline == seconds.map { .at(now.advanced(by: .seconds($0))) } ?? .never)
  }
}
