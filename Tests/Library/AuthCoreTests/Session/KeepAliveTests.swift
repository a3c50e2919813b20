import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A daemon keeps its session alive", .timeLimit(.minutes(10)))
struct KeepAliveTests: InWorld {
  // Without the timers of limits, only `keepAlive` sleeps.
  let world = World(timing: SessionTiming(watchesLimits: false))
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  private func renewals(_ count: Int) async {
    await until { world.count(.renew) == count }
  }

  @Test("it renews when half of the time to the idle limit has passed, until the absolute limit")
  func inTime() async throws {
    let end = Task.immediate { try await store.keepAlive() }
    for round in 1...31 {
      await clock.reachLimit(in: .seconds(900))
      await renewals(round)
      #expect(key.isLive)
    }
    await clock.reachLimit(in: .seconds(900))
    #expect(try await end.value == .expired(.absolute))
  }

  @Test("it keeps a session with a short idle limit, whatever else renews it")
  func shortIdleLimit() async throws {
    try await store.logOutAnyone()
    let key = try await store.loggedIn(World.alice, limits: LimitRequest(idle: .seconds(10)))
    Task.immediate { try await store.keepAlive() }
    for round in 1...20 {
      for _ in 1...4 { try await store.renew() }
      let count = world.count(.renew)
      await clock.reachLimit(in: .seconds(5))
      await until { world.count(.renew) > count }
      #expect(key.isLive, "round \(round)")
    }
  }

  @Test("it keeps a session, and its access tokens, while a second step waits longer than the idle limit")
  func besideASecondStep() async throws {
    try await store.logOutAnyone()
    authority.setAccessTokens(lasting: .seconds(60))
    let key = try await store.loggedIn(World.alice, limits: LimitRequest(idle: .seconds(300)))
    authority.setSecondStep(of: "alice", to: World.code, time: .seconds(601))
    guard case .challenged(let challenge) = try await store.reauthenticate(password: World.alice.password) else {
      throw SessionError.overtaken
    }
    Task.immediate { try await store.keepAlive() }
    for round in 1...13 {
      await clock.reachLimit(in: .seconds(45))
      await renewals(round)
      let isAccepted = try await key.withAccess { (access: borrowing LentAccessToken) in
        authority.accepts(accessToken: access.value)
      }
      #expect(isAccepted && key.isLive, "round \(round)")
    }
    clock.advance(by: .seconds(15))
    #expect(try await store.answer(World.code, to: challenge).key.id == key.id)
  }

  @Test("without an idle limit it renews before the access token ends, and after the interval of the app")
  func otherReasons() async throws {
    authority.setGrantedLimits(SessionLimits(idle: .never, absolute: .never, fresh: .never))
    authority.setAccessTokens(lasting: .seconds(300))
    try await store.renew()
    let end = Task.immediate { try await store.keepAlive(every: .seconds(250)) }
    for (round, wait) in [240, 240, 250, 250].enumerated() {
      await clock.reachLimit(in: .seconds(wait))
      // Later renewals grant none.
      if round == 1 { authority.setAccessTokens(lasting: nil) }
      await renewals(round + 2)
    }
    try await store.logOutAnyone()
    #expect(try await end.value == .userAsked)
  }

  @Test("it survives an unreachable authority, with waits that double")
  func unreachable() async throws {
    authority.fail(.renew, with: .unavailable(World.offline), calls: 3)
    let end = Task.immediate { try await store.keepAlive() }
    for (round, wait) in [900, 5, 10, 20, 900].enumerated() {
      await clock.reachLimit(in: .seconds(wait))
      await renewals(round + 1)
    }
    #expect(key.isLive)
    try await store.logOutAnyone()
    #expect(try await end.value == .userAsked)
  }

  @Test(
    "access tokens that end when they are granted are not renewed each second, but with waits that double",
    .timeLimit(.minutes(10)))
  func bornExpired() async throws {
    authority.setAccessTokens(lasting: .zero)
    let end = Task.immediate { try await store.keepAlive() }
    for (round, wait) in [900, 5, 10, 20].enumerated() {
      await clock.waitForSleepers(1, dueWithin: .seconds(wait))
      clock.advance(by: .seconds(wait - 1))
      #expect(clock.sleepers == 1, "not before \(wait) s")
      clock.advance(by: .seconds(1))
      await renewals(round + 1)
    }
    // From here on they last.
    authority.setAccessTokens(lasting: .seconds(400))
    for (round, wait) in [40, 340, 340].enumerated() {
      await clock.reachLimit(in: .seconds(wait))
      await renewals(round + 5)
    }
    try await store.logOutAnyone()
    #expect(try await end.value == .userAsked)
  }

  @Test("it ends at the idle limit when the authority does not come back")
  func neverBack() async throws {
    authority.fail(.renew, with: .throttled(.wait(.seconds(7200))))
    let end = Task.immediate { try await store.keepAlive() }
    await clock.reachLimit(in: .seconds(900))
    await renewals(1)
    // It does not ask again before the time that the authority asked for.
    clock.advance(by: .seconds(900), in: store)
    #expect(try await end.value == .expired(.idle))
    #expect(world.count(.renew) == 1)
  }

  @Test("a cancelled one leaves the session as it is, and without a session there is nothing to keep")
  func cancelled() async throws {
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { _ = try await world.anotherProcess().keepAlive() }
    let end = Task.immediate { try await store.keepAlive() }
    await clock.waitForSleepers(1, dueWithin: .seconds(900))
    end.cancel()
    await #expect(throws: SessionError.cancelled) { _ = try await end.value }
    #expect(key.isLive && world.count(.renew) == 0)
  }

  @Test("the waits grow to five minutes, and never past half of the time that is left")
  func backoff() {
    var backoff = Backoff()
    #expect(backoff.wait(idle: nil) == nil && backoff.wait(idle: .seconds(100)) == .seconds(50))
    var waits: [Duration?] = []
    for _ in 0..<9 {
      backoff.fail(.unavailable(World.offline))
      waits.append(backoff.wait(idle: .seconds(3600)))
    }
    #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
    #expect(backoff.wait(idle: .seconds(20)) == .seconds(10) && backoff.wait(idle: .zero) == .seconds(1))
    backoff.fail(.throttled(.wait(.seconds(1000))))
    #expect(backoff.wait(idle: .seconds(20)) == .seconds(1000))
  }
}
