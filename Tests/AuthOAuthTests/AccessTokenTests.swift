import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// The access token of the server, which the session lends.
@Suite struct AccessTokenTests {
  private let world = OAuthWorld()

  @Test("the access token is lent, never the refresh token, and renewed before the end that the server gave")
  func renewedBefore() async throws {
    let session = try await world.logIn()
    let first = try await session.withAccess { $0.header }
    #expect(first == "Bearer access-2")
    world.clock.advance(by: .seconds(239))
    #expect(try await session.withAccess { $0.header } == first)
    let before = try await world.vault.saved()
    world.clock.advance(by: .seconds(2))
    #expect(try await session.withAccess { $0.header } == "Bearer access-4")
    #expect(world.server.forms("/token").count == 2)
    #expect(try await world.vault.saved() != before)
  }

  @Test(
    "a lifetime counts from the request; beyond reason it neither traps nor lasts; without one, a token has no end",
    arguments: [
      ("300", 300), ("\"300\"", 300), ("0", 0), ("-1", 0), ("9223372036854775807", 1 << 31), ("1e300", nil),
      ("\"soon\"", nil), ("null", nil), ("99999999999999999999", nil), ("{}", nil),
    ] as [(String, Int?)])
  func lifetimes(value: String, seconds: Int?) async throws {
    world.server.script(
      "/token", 200,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "expires_in": \#(value)}"#)
    world.server.script("/userinfo", 200, #"{"sub": "1"}"#)
    let now = try world.clock.now()
    world.server.set { $0.whileUnderWay = { world.clock.advance(by: .seconds(50)) } }
    let grant = try await world.grant()
    #expect(grant.accessToken?.deadline == seconds.map { .at(now.advanced(by: .seconds($0))) } ?? .never)
  }
}
