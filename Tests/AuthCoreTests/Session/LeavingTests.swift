import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite struct LeavingTests {
  @Test("a restore can be left after a limit, and continues")
  func restore() async throws {
    let (world, _) = try await World.withAlice()
    let store = world.anotherProcess()
    let outcome = await world.authority.holding(.resume) { Task.immediate { await store.restore(within: .seconds(2)) } }
    await world.clock.waitForSleepers(1, dueWithin: .seconds(2))
    world.clock.advance(by: .seconds(2))
    #expect(await outcome.value == .cancelled)
    #expect(store.state.lastKnownUser?.username == "alice", "the work continues")
    world.authority.release(.resume)
    await until { store.session?.user.username == "alice" }
    #expect(await world.anotherProcess().restore(within: .seconds(2)) != .cancelled)
  }

  @Test("a limit on a command does not hide that the caller is inside a lease")
  func insideLease() async throws {
    let (world, key) = try await World.withAlice()
    try await key.withLease { (_: borrowing SessionLease) async throws in
      await #expect(throws: LogoutError.insideLease) { try await world.store.logOut(within: .seconds(2)) }
      await #expect(throws: SessionError.insideLease) {
        try await world.store.switchUser(to: World.bob, within: .seconds(2))
      }
    }
    #expect(key.isLive)
  }

  @Test("an answer before the limit is returned, and leaves no timer")
  func inTime() async throws {
    let (world, key) = try await World.withAlice()
    #expect(try await world.store.check(within: .seconds(2)) == key)
    #expect(try await world.store.logOut(within: .seconds(2)) == .complete)
    await until { world.clock.sleepers == 0 }
  }

  @Test("a detached observer gets no more calls, and others do")
  func detach() async throws {
    let world = World()
    let (one, other) = (Listener(), Listener())
    world.store.attach(one)
    world.store.attach(other)
    try await world.store.loggedIn(World.alice)
    world.store.detach(one)
    world.store.detach(one)
    try await world.store.logOut()
    #expect(one.heard == ["in alice"])
    #expect(other.heard.count == 2)
    world.store.attach(one)
    #expect(one.heard.count == 2)
  }

  @Test("an observer that detaches another one in its call spares it the call")
  func detachInside() async throws {
    let world = World()
    let second = Listener()
    let first = Listener(onLoggedIn: { _ in world.store.detach(second) })
    world.store.attach(first)
    world.store.attach(second)
    try await world.store.loggedIn(World.alice)
    #expect(first.heard == ["in alice"] && second.heard == [])
  }
}
