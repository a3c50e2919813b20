import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A check says why no session is active")
struct NoSessionTests {
  private let world = World()

  @Test("after a logout a check throws the reason for the end of the session")
  func ended() async throws {
    try await world.store.loggedIn(World.alice)
    _ = try await world.store.logOut()
    await #expect(throws: SessionError.ended(.userAsked)) { try await world.store.check() }
    let token = try #require(try await world.authority.authenticate(World.alice, limits: .standard).grant?.token)
    world.vault.content = .token(token)
    world.authority.end(token, .accountDisabled)
    let next = world.anotherProcess()
    await next.restore()
    await #expect(throws: SessionError.ended(.accountDisabled)) { try await next.check() }
  }

  @Test("during a logout a check also throws the reason")
  func ending() async throws {
    try await world.store.loggedIn(World.alice)
    world.authority.hold(.revoke)
    let logout = world.store.beginLogOut()
    await #expect(throws: SessionError.ended(.userAsked)) { try await world.store.check() }
    world.authority.release(.revoke)
    _ = try await logout.value()
  }

  @Test("a check during a switch of users waits for it, and returns the key of the new user")
  func switching() async throws {
    try await world.store.loggedIn(World.alice)
    let change = await world.authority.holding(.revoke, calls: 1) {
      Task { try await world.store.switched(to: World.bob) }
    }
    #expect(world.store.state == .loggingOut)
    let check = Task.immediate { try await world.store.check() }
    world.authority.release(.revoke)
    #expect(try await check.value.user.username == "bob")
    _ = try await change.value
  }

  @Test("a check without an earlier session is rejected")
  func never() async {
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await world.store.check() }
  }
}
