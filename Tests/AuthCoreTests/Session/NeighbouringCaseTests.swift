import AuthCore
import AuthCoreTesting
import Testing

@Suite("The rules in neighbouring cases")
struct NeighbouringCaseTests {
  /// Starts a lease that lasts until the returned closure is called.
  private func lease(_ key: LoggedInSession) async -> (end: @Sendable () -> Void, task: Task<Void, any Error>) {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let (starts, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await key.withLease { (_: borrowing SessionLease) async in
        start.finish()
        for await _ in ends {}
      }
    }
    for await _ in starts {}
    return ({ end.finish() }, task)
  }

  @Test("a logout is not complete while a lease of an earlier session runs")
  func leaseOfAnEarlierSession() async throws {
    let world = World()
    let (end, task) = await lease(try await world.store.loggedIn(World.alice))
    let step = SessionTiming().logoutStep
    let first = world.store.beginLogOut()
    await world.clock.waitForSleepers(1, dueWithin: step)
    world.clock.advance(by: step)
    #expect(try await first.value().leftovers == IncompleteCleanup(leases: 1))

    try await world.store.loggedIn(World.bob)
    let second = world.store.beginLogOut()
    #expect(world.store.state == .loggingOut)
    end()
    try await task.value
    #expect(try await second.value() == .complete)
  }

  @Test("a switch of users from inside a lease is a typed refusal, because it would wait for itself")
  func switchInsideLease() async throws {
    let (world, key) = try await World.withAlice()
    let store = world.store
    await #expect(throws: LeaseError<SessionError>.body(.insideLease)) {
      try await key.withLease { (_: borrowing SessionLease) async throws(SessionError) in
        _ = try await store.switched(to: World.bob)
      }
    }
    #expect(store.session == key)
  }

  @Test("a lease of a key from before an exchange lends the current token")
  func leaseAfterExchange() async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    try await world.store.renew()
    #expect(world.vault.content == .token(try key.withLease { lease in lease.sessionToken }))
    try await world.store.reauthenticated(password: World.alice.password)
    #expect(world.vault.content == .token(try key.withLease { lease in lease.sessionToken }))
    #expect(world.vaultAgrees)
  }

  @Test("a switch whose write failed after it reached the disk is undone, and the first user's session continues")
  func switchThatLanded() async throws {
    let (world, key) = try await World.withAlice()
    world.vault.failWrites(World.diskError, landing: true)
    await #expect(throws: SessionError.notSaved(World.diskError)) {
      try await world.store.switched(to: World.bob)
    }
    world.vault.failWrites(nil)
    #expect(world.vaultAgrees)
    #expect(try await world.store.check() == key)
    let next = world.anotherProcess()
    await next.restore()
    let restored = try #require(next.session)
    #expect(restored.id == key.id)
  }

  @Test(
    "a login whose write failed after it reached the disk restores the previous content of the vault",
    arguments: [true, false])
  func loginThatLanded(over kept: Bool) async throws {
    let world = World()
    if kept { try await world.store.loggedIn(World.alice) }
    let before = world.vault.content
    let next = world.anotherProcess()
    world.vault.failWrites(World.diskError, landing: true)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await next.loggedIn(World.bob) }
    #expect(world.vault.content == before)
  }

  @Test("after an unfinished logout, restore says that nobody is logged in")
  func restoreAfterUnfinishedLogout() async throws {
    let (world, _) = try await World.withAlice()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    try await world.store.logOut()
    #expect(await world.store.restore() == .loggedOut(.ended(.userAsked)))
  }

  @Test("a policy without renewals permits none")
  func noRenewals() async throws {
    let world = World(timing: SessionTiming(renewal: RenewalPolicy(limit: 0)))
    try await world.store.loggedIn(World.alice)
    let key = try #require(world.store.session)
    #expect(try await world.store.renew() == key)
    #expect(world.count(.renew) == 0)
  }

  @Test("the timer of a far limit sleeps at most a day at a time")
  func distantLimit() async throws {
    let world = World()
    let centuries = Deadline.at(try world.clock.now().advanced(by: .seconds(Int64.max)))
    world.authority.setGrantedLimits(SessionLimits(idle: .never, absolute: centuries, fresh: .never))
    let key = try await world.store.loggedIn(World.alice)
    for _ in 0..<3 {
      await world.clock.waitForSleepers(1, dueWithin: .seconds(86_400))
      world.clock.advance(by: .seconds(86_400))
    }
    await world.clock.waitForSleepers(1, dueWithin: .seconds(86_400))
    #expect(key.isLive)
  }

  @Test("checks that wait for the same work share one later check")
  func sharedChecks() async throws {
    let (world, _) = try await World.withAlice()
    world.authority.hold(.resume)
    let store = world.store
    let first = Task { try await store.check() }
    await world.authority.waitUntilHeld(.resume)
    let others = (0..<200).map { _ in Task { try await store.check() } }
    for _ in 0..<1000 { await Task.yield() }
    world.authority.releaseFirst(.resume)
    _ = try await first.value
    await world.authority.waitUntilHeld(.resume)
    for _ in 0..<1000 { await Task.yield() }
    world.authority.release(.resume)
    for other in others { _ = try await other.value }
    // Late callers made separate checks, but most callers had already arrived.
    #expect(world.count(.resume) < 100)
  }

  @Test(
    "a renewal or password check answered for another user changes nothing, and its token is revoked",
    arguments: [false, true])
  func answeredForAnother(byPassword: Bool) async throws {
    let (world, key) = try await World.withAlice()
    let foreign = try #require(try await world.authority.authenticate(World.bob, limits: .standard).grant)
    let answered = Grant(id: key.id, user: foreign.user, token: foreign.token, limits: foreign.limits)
    world.authority.answerReauthentication(with: .success(.granted(answered)))
    world.authority.answerRenewal(with: .success(answered))
    let failure = await #expect(throws: SessionError.self) {
      if byPassword {
        try await world.store.reauthenticated(password: World.alice.password)
      } else {
        try await world.store.renew()
      }
    }
    #expect(failure?.unavailability?.cause == .unparsable)
    #expect(world.store.session == key && key.isLive)
    await until { world.vaultAgrees }
  }
}
