import AuthCoreTesting
import Guards
import Testing

@testable import AuthCore

@Suite("Limits and renewals")
struct LimitTests {
  private func limits(
    idle: Deadline = .never, absolute: Deadline = .never, fresh: Deadline = .never
  ) -> SessionLimits {
    SessionLimits(idle: idle, absolute: absolute, fresh: fresh)
  }

  @Test("the idle limit ends a session without activity, and activity delays it")
  func idle() async throws {
    let (world, key) = try await World.withAlice()
    world.clock.advance(by: .seconds(1700))
    try await world.store.renew()
    await world.clock.waitForSleepers(1, dueWithin: .seconds(1800))
    world.clock.advance(by: .seconds(1799))
    #expect(key.isLive)
    world.clock.advance(by: .seconds(1))
    await until { !key.isLive }
    #expect(key.endReason == .expired(.idle))
    await until { world.store.state == .loggedOut(.ended(.expired(.idle))) }
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("the absolute limit ends a session whatever the activity")
  func absolute() async throws {
    let world = World()
    let key = try await world.store.loggedIn(World.alice, limits: LimitRequest(absolute: .seconds(1000)))
    for _ in 0..<9 {
      world.clock.advance(by: .seconds(100))
      try await world.store.renew()
    }
    await world.clock.waitForSleepers(1, dueWithin: .seconds(100))
    world.clock.advance(by: .seconds(100))
    await until { !key.isLive }
    #expect(key.endReason == .expired(.absolute))
  }

  @Test("a check is not activity")
  func check() async throws {
    let (world, key) = try await World.withAlice()
    world.clock.advance(by: .seconds(1799))
    try await world.store.check()
    await world.clock.waitForSleepers(1, dueWithin: .seconds(1))
    world.clock.advance(by: .seconds(1))
    await until { !key.isLive }
    #expect(key.endReason == .expired(.idle))
  }

  @Test(
    "a missing deadline counts as passed: no login, no key, not even for a moment",
    arguments: [true, false])
  func missing(idle: Bool) async throws {
    let world = World()
    world.authority.setGrantedLimits(limits(idle: idle ? .unknown : .never, absolute: idle ? .never : .unknown))
    let listener = Listener()
    world.store.attach(listener)
    await #expect(throws: SessionError.ended(.expired(idle ? .idle : .absolute))) {
      try await world.store.loggedIn(World.alice)
    }
    #expect(listener.heard == [])
    #expect(world.store.session == nil)
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("a saved session without deadlines ends at launch and is revoked")
  func missingAtLaunch() async throws {
    let (world, _) = try await World.withAlice()
    world.authority.setGrantedLimits(limits(idle: .unknown))
    let next = world.anotherProcess()
    let listener = Listener()
    next.attach(listener)
    #expect(await next.restore() == .loggedOut(.ended(.expired(.idle))))
    #expect(!listener.heard.contains("in alice"))
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("a renewal that answers without deadlines ends the session", arguments: [true, false])
  func missingAtRenewal(rotates: Bool) async throws {
    let world = World()
    world.authority.setRotation(rotates)
    let key = try await world.store.loggedIn(World.alice)
    world.authority.setGrantedLimits(limits(absolute: .unknown))
    await #expect(throws: SessionError.ended(.expired(.absolute))) { try await world.store.renew() }
    #expect(key.endReason == .expired(.absolute))
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("a limit that is switched off never ends a session")
  func off() async throws {
    let world = World()
    world.authority.setGrantedLimits(limits())
    let key = try await world.store.loggedIn(World.alice)
    world.clock.advance(by: .seconds(1 << 30))
    #expect(key.isLive)
    #expect(world.clock.sleepers == 0)
    _ = try FreshSession(key)
  }

  @Test("with a missing freshness deadline, the password is not recent")
  func missingFreshness() async throws {
    let world = World()
    world.authority.setGrantedLimits(limits(fresh: .unknown))
    let key = try await world.store.loggedIn(World.alice)
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(key) }
  }

  @Test("an unreadable clock ends no session, and the store reads the clock again")
  func unreadableClock() async throws {
    let (world, key) = try await World.withAlice()
    let failure = ClockError("the clock is gone")
    await world.clock.waitForSleepers(1)
    world.clock.fail(failure)
    world.clock.advance(by: .seconds(1800))
    await world.clock.waitForSleepers(1, dueWithin: .seconds(60))
    #expect(key.isLive)
    #expect(throws: FreshnessError.clock(failure)) { try FreshSession(key) }
    await #expect(throws: SessionError.clock(failure)) { try await world.store.renew() }
    #expect(world.store.session == key)
    world.clock.fail(nil)
    world.clock.advance(by: .seconds(60))
    await until { !key.isLive }
    #expect(key.endReason == .expired(.idle))
  }

  @Test("a reboot ends the session, whatever its limits said")
  func reboot() async throws {
    let (world, key) = try await World.withAlice()
    world.clock.reboot()
    await #expect(throws: SessionError.ended(.rebooted)) { try await world.store.check() }
    #expect(key.endReason == .rebooted)
    #expect(world.store.state == .loggedOut(.ended(.rebooted)))
  }

  @Test("without a timer the store still checks the limits at each change of the session")
  func withoutTimer() async throws {
    let world = World(timing: SessionTiming(watchesLimits: false))
    let key = try await world.store.loggedIn(World.alice)
    #expect(world.clock.sleepers == 0)
    world.clock.advance(by: .seconds(1801))
    #expect(key.isLive)
    world.authority.fail(.resume, with: .unavailable(World.offline))
    _ = try? await world.store.check()
    #expect(key.endReason == .expired(.idle))
  }

  @Test("a window limits the renewals, and only time starts the next one", arguments: [true, false])
  func bounded(failing: Bool) async throws {
    let world = World(timing: SessionTiming(renewal: RenewalPolicy(window: .seconds(60), limit: 2)))
    let key = try await world.store.loggedIn(World.alice)
    if failing { world.authority.fail(.renew, with: .unavailable(World.offline)) }
    for _ in 0..<2 {
      do throws(SessionError) {
        try await world.store.renew()
        #expect(!failing)
      } catch {
        #expect(error == .unavailable(World.offline))
      }
    }
    for _ in 0..<5 {
      if failing {
        await #expect(throws: SessionError.rejected(.renewalsFailed)) { try await world.store.renew() }
      } else {
        #expect(try await world.store.renew() == world.store.session ?? key)
      }
    }
    #expect(world.count(.renew) == 2)
    world.clock.advance(by: .seconds(59))
    _ = try? await world.store.renew()
    #expect(world.count(.renew) == 2)
    world.authority.fail(.renew, with: nil)
    world.clock.advance(by: .seconds(1))
    #expect(try await world.store.renew() == world.store.session)
    #expect(world.count(.renew) == 3)
  }

  @Test("after one recorded renewal, failed ones in its window change nothing: the activity is recent")
  func notedAndFailed() async throws {
    let world = World(timing: SessionTiming(renewal: RenewalPolicy(limit: 2)))
    try await world.store.loggedIn(World.alice)
    try await world.store.renew()
    world.authority.fail(.renew, with: .unavailable(World.offline))
    await #expect(throws: SessionError.unavailable(World.offline)) { try await world.store.renew() }
    #expect(try await world.store.renew() == world.store.session)
  }

  @Test("a renewal during the check of a limit wins: the verdict applies to the record before it")
  func renewedWhileJudged() async throws {
    let clock = MeddlingClock()
    let world = World(timing: SessionTiming(watchesLimits: false), clock: clock.base, storeClock: clock)
    let (store, authority) = (world.store, world.authority)
    let key = try await store.loggedIn(World.alice)
    let token = try #require(authority.liveTokens.first)
    let later = try clock.base.now().advanced(by: .seconds(3600))
    // The authority recorded the activity just before the limit, and its answer comes just after.
    authority.answerRenewal(
      with: .success(Grant(id: key.id, user: key.user, token: token, limits: limits(idle: .at(later)))))
    clock.base.advance(by: .seconds(1800))
    clock.meddle { startAtOnce { _ = try? await store.renew() } }
    #expect(!store.core.enforceLimits())
    #expect(key.isLive && authority.liveTokens == [token])
    #expect(store.session?.limits.idle == .at(later))
  }

  @Test("the timer of the limits continues after a failed renewal")
  func watchGoesOn() async throws {
    let (world, key) = try await World.withAlice()
    world.authority.fail(.renew, with: .unavailable(World.offline))
    await #expect(throws: SessionError.unavailable(World.offline)) { try await world.store.renew() }
    await world.clock.waitForSleepers(1, dueWithin: .seconds(1800))
    world.clock.advance(by: .seconds(1800))
    await until { !key.isLive }
  }
}
