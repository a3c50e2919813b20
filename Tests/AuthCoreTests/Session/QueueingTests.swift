import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A command waits for running work, within a limit")
struct QueueingTests: InWorld {
  let world = World()
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  @Test(
    "a check inside a lease during a switch of users fails: the switch waits for the lease", .timeLimit(.minutes(1)))
  func checkInsideLease() async throws {
    let change = try await key.withLease { (_: borrowing SessionLease) async throws in
      let change = Task.immediate { try await store.switchUser(to: World.bob).key }
      #expect(key.endReason == .switchedUser)
      await #expect(throws: SessionError.ended(.switchedUser)) { try await store.check() }
      await #expect(throws: SessionError.ended(.switchedUser)) { try await store.check(within: .seconds(60)) }
      return change
    }
    #expect(try await change.value.user.username == "bob")
  }

  @Test("a check that begins after the store was released, while work on the session goes on, fails")
  func checkAfterRelease() async throws {
    let renewal = await authority.holding(.renew) { Task.immediate { try await store.renew() } }
    store.core.shutDown()
    await #expect(throws: SessionError.ended(.storeReleased)) { try await store.core.work(.check) }
    authority.release(.renew)
    await #expect(throws: SessionError.ended(.storeReleased)) { try await renewal.value }
  }

  @Test(
    "a switch of users, a reauthentication and a check wait for a renewal and for a check, and then ask themselves",
    arguments: [Request.switchUser, .reauthenticate, .check], [Request.renew, .check])
  func waits(request: Request, background: Request) async throws {
    let work = await authority.holding(background.operation) { Task.immediate { try await background.send(store) } }
    let asked = world.count(request.operation)
    let waiting = Task.immediate { try await request.send(store) }
    #expect(world.count(request.operation) == asked)
    authority.release(background.operation)
    try await waiting.value
    #expect(world.count(request.operation) == asked + 1)
    #expect((store.session?.id == key.id) == (request != .switchUser))
    _ = try? await work.value
    #expect(world.vaultAgrees)
  }

  @Test("during a switch, a second authentication is refused, and a waiting renewal never renews the new session")
  func duringSwitch() async throws {
    let change = await authority.holding(.authenticate) { Task { try await store.switchUser(to: World.bob).key } }
    for request in [Request.switchUser, .reauthenticate] {
      await #expect(throws: SessionError.rejected(.alreadyInProgress)) { try await request.send(store) }
    }
    let renewal = Task.immediate { try await store.renew() }
    authority.release(.authenticate)
    await #expect(throws: SessionError.ended(.switchedUser)) { try await renewal.value }
    #expect(try await change.value.user.username == "bob")
    #expect(world.count(.renew) == 0)
  }

  @Test("a check during the logout part of a switch waits for it, and returns the key of the new user")
  func checkDuringSwitch() async throws {
    let change = await authority.holding(.revoke, calls: 1) { Task { try await store.switchUser(to: World.bob).key } }
    #expect(store.state == .loggingOut(.switchedUser))
    let check = Task.immediate { try await store.check() }
    authority.release(.revoke)
    #expect(try await check.value.user.username == "bob")
    _ = try await change.value
  }

  @Test("a password is not checked for another user if that user's session was found meanwhile")
  func passwordAfterAnotherLogin() async throws {
    let check = await vault.holding(.load) { Task { try await store.check() } }
    let password = Task.immediate { try await store.reauthenticate(password: World.alice.password).key }
    try await world.logInElsewhere(World.bob)
    vault.release(.load)
    await #expect(throws: SessionError.ended(.switchedUser)) { try await password.value }
    #expect(try await check.value.user.username == "bob")
    #expect(world.count(.reauthenticate) == 0)
  }

  @Test("a check that waits for a renewal can be cancelled while it waits")
  func cancelled() async throws {
    let renewal = await authority.holding(.renew) { Task { try await store.renew() } }
    let check = Task.immediate { try await store.check() }
    check.cancel()
    await #expect(throws: SessionError.cancelled) { try await check.value }
    authority.release(.renew)
    _ = try await renewal.value
    #expect(world.count(.resume) == 0)
  }

  @Test("checks that wait for the same work share one later check")
  func sharedChecks() async throws {
    let first = await authority.holding(.resume) { Task { try await store.check() } }
    let others = (0..<200).map { _ in Task.immediate { try await store.check() } }
    store.keepSteps(others.count + 10) { .now }
    authority.releaseFirst(.resume)
    _ = try await first.value
    await authority.waitUntilHeld(.resume)
    // Once the first check has ended, one of them begins the next one, and each other finds it.
    await until {
      store.core.withLock { inner in
        inner.steps?.latest.count { $0.answer == .rejected(.renewalInProgress) } == others.count - 1
      }
    }
    authority.release(.resume)
    for other in others { _ = try await other.value }
    #expect(world.count(.resume) == 2)
  }

  @Test("without a session, a check throws the reason for its end, even while a logout is under way")
  func noSession() async throws {
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await World().store.check() }
    let logout = await authority.holding(.revoke) { store.beginLogOut() }
    await #expect(throws: SessionError.ended(.userAsked)) { try await store.check() }
    authority.release(.revoke)
    _ = try await logout.value()
    await #expect(throws: SessionError.ended(.userAsked)) { try await store.check() }
    authority.end(try await world.logInElsewhere(World.alice), .accountDisabled)
    let next = world.anotherProcess()
    await next.restore()
    await #expect(throws: SessionError.ended(.accountDisabled)) { try await next.check() }
  }
}
