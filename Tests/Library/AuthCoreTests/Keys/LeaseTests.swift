import AuthCoreTesting
import ConcurrencyKit
import Races
import Testing

@testable import AuthCore

@Suite("Leases and stronger keys", .timeLimit(.minutes(10)))
struct LeaseTests: InWorld {
  let world = World()
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  /// Something that can be spent once.
  private struct Intent: ~Copyable {
    consuming func submit(under lease: borrowing SessionLease) -> String { lease.user.username }
  }

  /// The four forms of a lease; each returns the name of its user.
  private static let forms: [@Sendable (LoggedInSession) async throws -> String] = [
    { key in try key.withLease { lease in lease.user.username } },
    { key in
      try await key.withLease { (lease: borrowing SessionLease) async in
        await Task.yield()
        return lease.user.username
      }
    },
    { key in
      try key.withLease(using: Intent()) { (intent: consuming Intent, lease: borrowing SessionLease) in
        intent.submit(under: lease)
      }
    },
    { key in
      try await key.withLease(using: Intent()) { (intent: consuming Intent, lease: borrowing SessionLease) async in
        await Task.yield()
        return intent.submit(under: lease)
      }
    },
  ]

  private enum Refused: Error { case refused }

  @Test("a lease lends the user in all four forms, and none works after the session has ended", arguments: 0..<4)
  func forms(index: Int) async throws {
    let lease = Self.forms[index]
    #expect(try await lease(key) == "alice")
    _ = try await store.logOutAnyone()
    await #expect(throws: LeaseError<Never>.ended(.userAsked)) { try await lease(key) }
    #expect(throws: FreshnessError.ended(.userAsked)) { try FreshSession(key) }
    #expect(throws: RoleError.ended(.userAsked)) { try AdminSession(key) }
  }

  @Test("the body's own error differs from the end of the session, and both end the lease")
  func bodyThrows() async throws {
    #expect(throws: LeaseError<Refused>.body(.refused)) {
      try key.withLease { (_: borrowing SessionLease) throws(Refused) in throw .refused }
    }
    await #expect(throws: LeaseError<Refused>.body(.refused)) {
      try await key.withLease { (_: borrowing SessionLease) async throws(Refused) in throw .refused }
    }
    #expect(try await store.logOutAnyone() == .complete)
  }

  @Test("a logout waits for all running leases", arguments: [1, 2, 40])
  func drains(count: Int) async throws {
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
    let logout = store.beginLogOutAnyone()
    #expect(!key.isLive && store.state == .loggingOut(.userAsked) && world.count(.revoke) == 0)
    #expect(throws: LeaseError<Never>.ended(.userAsked)) { try key.withLease { _ in } }
    mayLeave.fulfil(())
    #expect(try await logout.value() == .complete)
    #expect(inside.value == 0)
    for holder in holders { try await holder.value }
  }

  @Test("a lease that does not end in time is reported, delays later logouts, and its late effect is refused")
  func overdue() async throws {
    let (isInside, mayLeave) = (Promise<Void>(), Promise<Void>())
    let holder = Task {
      try await key.withLease { (lease: borrowing SessionLease) async throws(AuthorityError<SessionRejection>) in
        isInside.fulfil(())
        await mayLeave.valueUncancelled()
        _ = try await authority.resume(lease.sessionToken)
      }
    }
    await isInside.valueUncancelled()
    let first = store.beginLogOutAnyone()
    await clock.reachLimit(in: .seconds(5))
    #expect(
      try await first.value()
        == .partial(IncompleteCleanup(leases: 1), causes: ["work under a lease did not end within 5.0 seconds"]))
    #expect(vault.content == .empty)
    try await store.loggedIn(World.bob)
    let second = store.beginLogOutAnyone()
    #expect(store.state == .loggingOut(.userAsked))
    mayLeave.fulfil(())
    await #expect(throws: LeaseError<AuthorityError<SessionRejection>>.body(.rejected(.ended(.userAsked)))) {
      try await holder.value
    }
    #expect(try await second.value() == .complete)
  }

  @Test("a logout or a switch inside a lease throws a typed error, even deep inside, and is permitted after it")
  func refusedInside() async throws {
    try await key.withLease { (_: borrowing SessionLease) async in
      await #expect(throws: LogoutError.insideLease) { try await store.logOutAnyone() }
      _ = try? key.withLease { _ in }
      await #expect(throws: LogoutError.insideLease) { try await store.logOutAnyone(within: .seconds(2)) }
      _ = try? await key.withLease { (_: borrowing SessionLease) async in
        await #expect(throws: LogoutError.insideLease) { try await store.logOutAnyone() }
      }
      for limit in [nil, Duration.seconds(2)] {
        await #expect(throws: SessionError.insideLease) { try await store.switchUser(to: World.bob, within: limit) }
      }
      await #expect(throws: LogoutError.insideLease) { try await store.logOutAnyone() }
    }
    #expect(key.isLive && store.session == key)
    #expect(try await store.logOutAnyone() == .complete)
  }

  @Test("no later task counts as the holder of an ended task's lease")
  func endedTasks() async throws {
    try await store.logOutAnyone()
    for _ in 0..<300 {
      let key = try await store.loggedIn(World.alice)
      for _ in 0..<4 { await Task { _ = try? key.withLease { _ in } }.value }
      let result = await Task { try await store.logOutAnyone() }.result
      #expect(try result.get() == .complete)
    }
  }

  @Test("leases on threads without a task count, and refuse no logout of other tasks")
  func threads() async throws {
    let ran = Counter()
    TwoThreads.both { _ in
      for _ in 0..<1000 {
        _ = try? key.withLease { _ in ran.add(1) }
      }
    }
    #expect(ran.value == 2000)
    #expect(try await store.logOutAnyone() == .complete)
  }

  @Test("a lease of a key from before an exchange lends the current token")
  func afterExchange() async throws {
    authority.setRotation(true)
    for request in [Request.renew, .reauthenticate] {
      try await request.send(store)
      #expect(vault.content == .token(try key.withLease { lease in lease.sessionToken }))
    }
    #expect(world.vaultAgrees)
  }

  @Test("a new role gives access immediately, and a removed one none, with any key of the session")
  func roles() async throws {
    authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let administrator = try await store.check()
    #expect(key.user.role == .member)
    #expect(try AdminSession(key).session == administrator)
    #expect(try AdminSession(key) == AdminSession(administrator))
    authority.setAccount("alice", password: World.alice.password, role: .member)
    let demoted = try await store.check().user
    #expect(administrator.isLive && administrator.user.role == .administrator)
    #expect(throws: RoleError.notAdministrator(demoted)) { try AdminSession(administrator) }
    #expect(try administrator.withLease { lease in lease.user } == demoted)
  }
}
