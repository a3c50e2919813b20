import AuthCoreTesting
import Guards
import Races
import Testing

@testable import AuthCore

@Suite("Leases")
struct LeaseTests {
  /// Something that can be spent once.
  private struct Intent: ~Copyable {
    let amount: Int

    consuming func submit(under lease: borrowing SessionLease) -> String {
      "\(lease.user.username) pays \(amount)"
    }
  }

  private enum Refused: Error { case refused }

  @Test("a lease lends the user, the session and the token, in all four forms")
  func forms() async throws {
    let (world, key) = try await World.withAlice()
    #expect(world.vault.content == .token(try key.withLease { lease in lease.sessionToken }))
    let name = try await key.withLease { (lease: borrowing SessionLease) async in
      await Task.yield()
      return lease.user.username
    }
    #expect(name == "alice")
    let paid = try key.withLease(using: Intent(amount: 1)) {
      (intent: consuming Intent, lease: borrowing SessionLease) in
      intent.submit(under: lease)
    }
    #expect(paid == "alice pays 1")
    let paidLater = try await key.withLease(using: Intent(amount: 2)) {
      (intent: consuming Intent, lease: borrowing SessionLease) async in
      await Task.yield()
      return intent.submit(under: lease)
    }
    #expect(paidLater == "alice pays 2")
  }

  @Test("every kind of lease makes the same check: none works after the session has ended")
  func everyWay() async throws {
    let (world, key) = try await World.withAlice()
    _ = try await world.store.logOut()
    #expect(throws: LeaseError<Never>.ended(.userAsked)) { try key.withLease { _ in } }
    await #expect(throws: LeaseError<Never>.ended(.userAsked)) {
      try await key.withLease { (_: borrowing SessionLease) async in }
    }
    #expect(throws: LeaseError<Never>.ended(.userAsked)) {
      try key.withLease(using: Intent(amount: 1)) { (_: consuming Intent, _: borrowing SessionLease) in }
    }
    await #expect(throws: LeaseError<Never>.ended(.userAsked)) {
      try await key.withLease(using: Intent(amount: 1)) { (_: consuming Intent, _: borrowing SessionLease) async in }
    }
    #expect(throws: FreshnessError.ended(.userAsked)) { try FreshSession(key) }
    #expect(throws: RoleError.ended(.userAsked)) { try AdminSession(key) }
  }

  @Test("the body's own error differs from the end of the session, and both end the lease")
  func bodyThrows() async throws {
    let (world, key) = try await World.withAlice()
    #expect(throws: LeaseError<Refused>.body(.refused)) {
      try key.withLease { (_: borrowing SessionLease) throws(Refused) in throw .refused }
    }
    await #expect(throws: LeaseError<Refused>.body(.refused)) {
      try await key.withLease { (_: borrowing SessionLease) async throws(Refused) in throw .refused }
    }
    #expect(try await world.store.logOut() == .complete)
  }

  @Test("a logout waits for all running leases", arguments: [1, 2, 40])
  func drains(count: Int) async throws {
    let (world, key) = try await World.withAlice()
    let inside = Counter()
    let mayLeave = Promise<Void>()
    let holders = (0..<count).map { _ in
      Task {
        try await key.withLease { (_: borrowing SessionLease) async in
          inside.add(1)
          await mayLeave.valueUncancelled()
          inside.add(-1)
        }
      }
    }
    await until { inside.value == count }
    let logout = world.store.beginLogOut()
    #expect(!key.isLive)
    #expect(world.store.state == .loggingOut)
    #expect(world.count(.revoke) == 0)
    #expect(throws: LeaseError<Never>.ended(.userAsked)) { try key.withLease { _ in } }
    mayLeave.fulfil(())
    #expect(try await logout.value() == .complete)
    #expect(inside.value == 0)
    for holder in holders { try await holder.value }
  }

  @Test("a lease that does not end in time is reported, and the authority refuses its late effect")
  func overdue() async throws {
    let (world, key) = try await World.withAlice()
    let isInside = Promise<Void>()
    let mayLeave = Promise<Void>()
    let authority = world.authority
    let holder = Task {
      try await key.withLease { (lease: borrowing SessionLease) async throws(AuthorityError<SessionRejection>) in
        isInside.fulfil(())
        await mayLeave.valueUncancelled()
        _ = try await authority.resume(lease.sessionToken)
      }
    }
    await isInside.valueUncancelled()
    let logout = world.store.beginLogOut()
    await world.clock.waitForSleepers(1, dueWithin: .seconds(5))
    world.clock.advance(by: .seconds(5))
    #expect(
      try await logout.value()
        == .partial(IncompleteCleanup(leases: 1), causes: ["work under a lease did not end within 5.0 seconds"]))
    mayLeave.fulfil(())
    await #expect(throws: LeaseError<AuthorityError<SessionRejection>>.body(.rejected(.ended(.userAsked)))) {
      try await holder.value
    }
    #expect(world.vault.content == .empty)
  }

  @Test("a logout from inside a lease throws a typed error, even deep inside, and is permitted after it")
  func refusedInside() async throws {
    let world = World()
    let store = world.store
    let key = try await store.loggedIn(World.alice)
    try await key.withLease { (_: borrowing SessionLease) async in
      await #expect(throws: LogoutError.insideLease) { try await store.logOut() }
      _ = try? key.withLease { _ in }
      await #expect(throws: LogoutError.insideLease) { try await store.logOut() }
      _ = try? await key.withLease { (_: borrowing SessionLease) async in
        await #expect(throws: LogoutError.insideLease) { try await store.logOut() }
      }
      await #expect(throws: LogoutError.insideLease) { try await store.logOut() }
    }
    #expect(key.isLive)
    #expect(try await store.logOut() == .complete)
  }

  @Test("a logout may begin inside a lease, and waits for it")
  func begunInside() async throws {
    let world = World()
    let store = world.store
    let key = try await store.loggedIn(World.alice)
    let logout = try key.withLease { _ in
      let logout = store.beginLogOut()
      #expect(store.state == .loggingOut)
      #expect(!key.isLive)
      return logout
    }
    #expect(try await logout.value() == .complete)
  }

  @Test("no later task counts as the holder of an ended task's lease")
  func endedTasks() async throws {
    let world = World()
    let store = world.store
    for _ in 0..<300 {
      let key = try await store.loggedIn(World.alice)
      for _ in 0..<4 { await Task { _ = try? key.withLease { _ in } }.value }
      let result = await Task { try await store.logOut() }.result
      #expect(try result.get() == .complete)
    }
  }

  @Test("leases on threads without a task count, and refuse no logout of other tasks")
  func threads() async throws {
    let (world, key) = try await World.withAlice()
    let ran = Counter()
    TwoThreads.both { _ in
      for _ in 0..<1000 {
        _ = try? key.withLease { _ in ran.add(1) }
      }
    }
    #expect(ran.value == 2000)
    #expect(try await world.store.logOut() == .complete)
  }

  @Test(
    "the store creates a key from the record in its machine, and no key before the authority has answered"
  )
  func madeByTheStore() async throws {
    let world = World()
    #expect(world.store.session == nil)
    let login = await world.authority.holding(.authenticate) { world.store.beginLogIn(World.alice) }
    #expect(world.store.session == nil)
    world.authority.release(.authenticate)
    let key = try await login.value().key
    #expect(world.store.core.withLock { $0.machine.state.session == key.record })
    #expect(key.user == User(id: UserID(rawValue: "id-alice"), username: "alice", displayName: "alice", role: .member))
  }

  @Test("all copies of a key die simultaneously")
  func copies() async throws {
    let (world, key) = try await World.withAlice()
    let copies = [key, key, try #require(world.store.session), try await world.store.check()]
    let stronger = try FreshSession(key)
    #expect(Set(copies).count == 1)
    _ = try await world.store.logOut()
    #expect(copies.allSatisfy { !$0.isLive && $0.endReason == .userAsked })
    #expect(!stronger.session.isLive)
  }
}
