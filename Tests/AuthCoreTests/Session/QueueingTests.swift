import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A command waits for running work, within a limit")
struct QueueingTests {
  private let world = World()

  @Test(
    "a switch of users and a reauthentication wait for a renewal and for a check",
    arguments: [Request.switchUser, .reauthenticate], [Request.renew, .check])
  func waits(request: Request, background: Request) async throws {
    let key = try await world.store.loggedIn(World.alice)
    let work = await world.authority.holding(background.operation) {
      Task.immediate { try await background.send(world.store) }
    }
    let asked = world.count(request.operation)
    let waiting = Task.immediate { try await request.send(world.store) }
    #expect(world.count(request.operation) == asked)
    world.authority.release(background.operation)
    try await waiting.value
    #expect((world.store.session?.id == key.id) == (request == .reauthenticate))
    _ = try? await work.value
    #expect(world.vaultAgrees)
  }

  @Test("a second switch or password check is refused while one is under way")
  func oneAuthentication() async throws {
    try await world.store.loggedIn(World.alice)
    let change = await world.authority.holding(.authenticate) { Task { try await world.store.switched(to: World.bob) } }
    let refusal = SessionError.rejected(.alreadyInProgress)
    await #expect(throws: refusal) { try await world.store.switched(to: World.bob) }
    await #expect(throws: refusal) { try await world.store.reauthenticated(password: World.alice.password) }
    world.authority.release(.authenticate)
    _ = try await change.value
  }

  @Test("a renewal that waited for a switch of users does not renew the new user's session")
  func renewalAfterSwitch() async throws {
    try await world.store.loggedIn(World.alice)
    let change = await world.authority.holding(.authenticate) { Task { try await world.store.switched(to: World.bob) } }
    let renewal = Task.immediate { try await world.store.renew() }
    world.authority.release(.authenticate)
    await #expect(throws: SessionError.ended(.switchedUser)) { try await renewal.value }
    _ = try await change.value
    #expect(world.count(.renew) == 0)
    #expect(world.store.session?.user.username == "bob")
  }

  @Test("a password is not checked for another user if that user's session was found meanwhile")
  func passwordAfterAnotherLogin() async throws {
    try await world.store.loggedIn(World.alice)
    let other = world.anotherProcess()
    let check = await world.vault.holding(.load) { Task { try await world.store.check() } }
    let password = Task.immediate { try await world.store.reauthenticated(password: World.alice.password) }
    let token = try #require(try await world.authority.authenticate(World.bob, limits: .standard).grant?.token)
    world.vault.content = .token(token)
    world.vault.release(.load)
    await #expect(throws: SessionError.ended(.switchedUser)) { try await password.value }
    #expect(try await check.value.user.username == "bob")
    #expect(world.count(.reauthenticate) == 0)
    withExtendedLifetime(other) {}
  }
}
