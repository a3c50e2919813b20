import AuthCoreTesting
import ConcurrencyKit
import Testing

@testable import AuthCore

@Suite("Limits and renewals", .timeLimit(.minutes(10)))
struct LimitTests: InWorld {
  let world = World()

  private func limits(idle: Deadline = .never, absolute: Deadline = .never, fresh: Deadline = .never) -> SessionLimits {
    SessionLimits(idle: idle, absolute: absolute, fresh: fresh)
  }

  @Test("a check and a failed renewal are no activity, and the timer of the limits continues after them")
  func noActivity() async throws {
    let key = try await logInAlice()
    clock.advance(by: .seconds(1700))
    try await store.check()
    authority.fail(.renew, with: .unavailable(World.offline))
    await #expect(throws: SessionError.unavailable(World.offline)) { try await store.renew() }
    await clock.waitForSleepers(1, dueWithin: .seconds(100))
    clock.advance(by: .seconds(99))
    #expect(key.isLive)
    clock.advance(by: .seconds(1))
    await until { store.state == .loggedOut(.ended(.expired(.idle))) }
    #expect(world.isEmpty)
  }

  /// The answer that has no deadline.
  enum Answer: CaseIterable { case login, launch, renewal, exchange }

  @Test(
    "a missing deadline counts as passed: no key, not even for a moment, and the session ends",
    arguments: Answer.allCases, [true, false])
  func missing(answer: Answer, idle: Bool) async throws {
    if answer != .login { try await logInAlice(rotates: answer == .exchange) }
    authority.setGrantedLimits(limits(idle: idle ? .unknown : .never, absolute: idle ? .never : .unknown))
    let (store, key) = (answer == .launch ? world.anotherProcess() : world.store, world.store.session)
    let reason = EndReason.expired(idle ? .idle : .absolute)
    let listener = Listener()
    store.attach(listener)
    switch answer {
    case .login: await #expect(throws: SessionError.ended(reason)) { try await store.loggedIn(World.alice) }
    case .launch: #expect(await store.restore() == .loggedOut(.ended(reason)))
    case .renewal, .exchange:
      await #expect(throws: SessionError.ended(reason)) { try await store.renew() }
      #expect(key?.endReason == reason)
    }
    #expect(listener.heard.count { $0 == "in alice" } == (answer == .login || answer == .launch ? 0 : 1))
    #expect(store.session == nil && world.isEmpty)
  }

  @Test("with a missing freshness deadline, the password is not recent; a limit that is switched off never passes")
  func off() async throws {
    authority.setGrantedLimits(limits(fresh: .unknown))
    let key = try await store.loggedIn(World.alice)
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(key) }
    authority.setGrantedLimits(limits())
    try await store.check()
    clock.advance(by: .seconds(1 << 30))
    #expect(key.isLive && clock.sleepers == 0)
    _ = try FreshSession(key)
  }

  @Test("an unreadable clock ends no session, and the store reads the clock again")
  func unreadableClock() async throws {
    let key = try await logInAlice()
    let failure = ClockError("the clock is gone")
    await clock.waitForSleepers(1)
    clock.fail(failure)
    clock.advance(by: .seconds(1800))
    await clock.waitForSleepers(1, dueWithin: .seconds(60))
    #expect(key.isLive)
    #expect(throws: FreshnessError.clock(failure)) { try FreshSession(key) }
    await #expect(throws: SessionError.clock(failure)) { try await store.renew() }
    #expect(store.session == key)
    clock.fail(nil)
    clock.advance(by: .seconds(60))
    await until { !key.isLive }
    #expect(key.endReason == .expired(.idle))
  }

  /// A clock of which each second reading fails.
  private struct UnsteadyClock: SessionClock {
    let base: ManualClock
    let readings = Counter()

    func now() throws(ClockError) -> BootInstant {
      readings.add(1)
      if readings.value.isMultiple(of: 2) { throw ClockError("the clock is gone") }
      return try base.now()
    }
    func sleep(for duration: Duration) async throws(CancellationError) { try await base.sleep(for: duration) }
  }

  @Test("a clock of which each second reading fails is read again after a second, and not without end")
  func unsteadyClock() async throws {
    let unsteady = UnsteadyClock(base: clock)
    let store = SessionStore(authority: authority, vault: vault, clock: unsteady, executor: .callingThread)
    let key = try await store.loggedIn(World.alice)
    clock.advance(by: .seconds(1800))
    while key.isLive {
      await clock.waitForSleepers(1, dueWithin: .seconds(60))
      clock.advance(by: .seconds(1))
      // A reading of the test shifts which reading of the store fails.
      _ = try? unsteady.now()
    }
    #expect(unsteady.readings.value < 1000)
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

  @Test(
    "a window limits the renewals; a further one fails only if all of them failed, until time starts the next window",
    arguments: [[], [false, false], [true, true], [false, true]])
  func bounded(failures: [Bool]) async throws {
    let world = World(renewal: RenewalPolicy(window: .seconds(60), limit: failures.count))
    try await world.store.loggedIn(World.alice)
    func renew(_ failure: SessionError?) async throws {
      guard let failure else {
        let key = try await world.store.renew()
        return #expect(key == world.store.session)
      }
      await #expect(throws: failure) { try await world.store.renew() }
    }
    for fails in failures {
      world.authority.fail(.renew, with: fails ? .unavailable(World.offline) : nil)
      try await renew(fails ? .unavailable(World.offline) : nil)
    }
    for wait in [0, 0, 59] {
      world.clock.advance(by: .seconds(wait))
      try await renew(failures.isEmpty || failures.contains(false) ? nil : .rejected(.renewalsFailed))
    }
    #expect(world.count(.renew) == failures.count)
    world.authority.fail(.renew, with: nil)
    world.clock.advance(by: .seconds(1))
    try await renew(nil)
    #expect(world.count(.renew) == (failures.isEmpty ? 0 : failures.count + 1))
  }

  @Test("a renewal during the check of a limit wins: the verdict applies to the record before it")
  func renewedWhileJudged() async throws {
    let world = World(timing: SessionTiming(watchesLimits: false))
    let (store, authority, clock) = (world.store, world.authority, world.clock)
    let key = try await store.loggedIn(World.alice)
    let token = try #require(authority.liveTokens.first)
    let later = try clock.now().advanced(by: .seconds(3600))
    // The authority recorded the activity just before the limit, and its answer comes just after.
    authority.script(
      \.renewals, .success(Grant(id: key.id, user: key.user, token: token, limits: limits(idle: .at(later)))))
    clock.advance(by: .seconds(1800))
    clock.onRead { startAtOnce { _ = try? await store.renew() } }
    #expect(!store.core.enforceLimits())
    #expect(key.isLive && authority.liveTokens == [token])
    #expect(store.session?.limits.idle == .at(later))
  }

  @Test("activity keeps a session with a short idle limit alive, with few renewals", arguments: [20, 40])
  func shortIdleLimit(seconds: Int) async throws {
    let key = try await store.loggedIn(World.alice, limits: LimitRequest(idle: .seconds(seconds)))
    for _ in 1...600 {
      clock.advance(by: .milliseconds(500), in: store)
      try await store.renew()
    }
    #expect(key.isLive && world.count(.renew) < 600)
  }

  @Test("the timer of a far limit sleeps at most a day at a time")
  func distantLimit() async throws {
    let centuries = Deadline.at(try clock.now().advanced(by: .seconds(Int64.max)))
    authority.setGrantedLimits(limits(absolute: centuries))
    let key = try await store.loggedIn(World.alice)
    for _ in 0..<4 {
      await clock.reachLimit(in: .seconds(86_400))
    }
    #expect(key.isLive)
  }

  @Test("an authority can ask which limit has passed, and how much time is left")
  func endReason() {
    let now = BootInstant(boot: BootID(high: 0, low: 1), uptime: .seconds(100))
    func at(_ seconds: Int, boot: UInt64 = 1) -> Deadline {
      .at(BootInstant(boot: BootID(high: 0, low: boot), uptime: .seconds(seconds)))
    }
    let cases: [(idle: Deadline, absolute: Deadline, reason: EndReason?, left: Duration?)] = [
      (at(101), at(200), nil, .seconds(1)), (at(100), at(200), .expired(.idle), .zero),
      (at(90), at(100), .expired(.absolute), .zero), (.never, .never, nil, nil),
      (.unknown, .never, .expired(.idle), .zero), (at(500, boot: 2), at(1), .rebooted, .zero),
    ]
    for (idle, absolute, reason, left) in cases {
      let limits = limits(idle: idle, absolute: absolute)
      #expect(limits.endReason(at: now) == reason && limits.timeLeft(at: now) == left)
    }
    #expect(at(500, boot: 2).timeLeft(at: now) == .zero)
  }
}
