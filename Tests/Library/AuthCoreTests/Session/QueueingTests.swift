import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A command waits for running work, within a limit", .timeLimit(.minutes(10)))
struct QueueingTests: InWorld {
  let world = World()
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  @Test(
    "a check inside a lease during a switch of users fails: the switch waits for the lease", .timeLimit(.minutes(10)))
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

  /// Commands that wait for a switch of users under way.
  enum Waiting: CaseIterable { case check, renewal, access }

  @Test(
    "inside a lease, no command waits for a switch of users, which waits for the lease", .timeLimit(.minutes(10)),
    arguments: Waiting.allCases, [false, true])
  func commandInsideLease(_ command: Waiting, isLimited: Bool) async throws {
    let (limit, wanted) = (isLimited ? Duration.seconds(60) : nil, SessionError.ended(.switchedUser))
    let change = try await key.withLease { (lease: borrowing SessionLease) async throws in
      let change = await authority.holding(.authenticate) {
        Task.immediate { try await store.switchUser(from: key, to: World.bob).key }
      }
      let release = Task {
        await until { store.core.withLock { $0.awaited.turn != nil } }
        authority.release(.authenticate)
      }
      switch command {
      case .check: await #expect(throws: wanted) { try await store.check(within: limit) }
      case .renewal: await #expect(throws: wanted) { try await store.renew(within: limit) }
      case .access:
        do throws(AccessError<Never>) {
          try await lease.withAccess(within: limit) { (_: borrowing LentAccessToken) in }
          Issue.record("there is no access token")
        } catch {
          #expect(error == .session(wanted))
        }
      }
      await release.value
      return change
    }
    #expect(try await change.value.user.username == "bob")
  }

  @Test(
    "inside a lease, a check and a renewal that find another user's session do not wait for it",
    .timeLimit(.minutes(10)), arguments: [Request.check, .renew])
  func findsAnotherInsideLease(_ request: Request) async throws {
    if request == .renew { authority.script(\.renewals, .failure(.rejected(.superseded))) }
    try await world.logInElsewhere(World.bob)
    _ = try await key.withLease { (_: borrowing SessionLease) async throws in
      await #expect(throws: SessionError.ended(.switchedUser)) { try await request.send(store) }
    }
    await store.untilQuiet()
    #expect(store.session?.user.username == "bob")
  }

  @Test("a command that names a session never applies to the one that replaced it")
  func named() async throws {
    let alice = key
    let bob = try await store.switchUser(from: alice, to: World.bob).key
    let ended = SessionError.ended(.switchedUser)
    await #expect(throws: ended) { _ = try await store.reauthenticate(alice, password: World.bob.password) }
    await #expect(throws: ended) { _ = try await store.switchUser(from: alice, to: World.alice) }
    #expect(try await store.logOut(alice) == .alreadyLoggedOut)
    #expect(try await store.beginLogOut(alice).value() == .alreadyLoggedOut)
    #expect(bob.isLive && store.session == bob && world.count(.reauthenticate) == 0)
    #expect(try await store.logOut(bob) == .complete)
    #expect(try await store.logOut(bob) == .alreadyLoggedOut)
  }

  @Test("a command with the key of another store has no effect")
  func foreign() async throws {
    // Its first session began at the same epoch.
    let other = World()
    let stranger = try await other.store.loggedIn(World.alice)
    let foreign = SessionError.rejected(.otherSession)
    await #expect(throws: foreign) { _ = try await store.reauthenticate(stranger, password: World.alice.password) }
    await #expect(throws: foreign) { _ = try await store.switchUser(from: stranger, to: World.bob) }
    #expect(try await store.logOut(stranger) == .alreadyLoggedOut)
    store.reportEnded(stranger, because: .revoked)
    #expect(key.isLive && stranger.isLive && store.session == key)
  }

  @Test("a logout of an ended session retries its cleanup, and never that of a login that followed")
  func retried() async throws {
    authority.fail(.revoke, with: .unavailable(World.offline), calls: 1)
    #expect(try await store.logOut(key).leftovers?.notRevoked == true)
    #expect(try await store.logOut(key) == .complete)
    let login = await authority.holding(.authenticate) { store.beginLogIn(World.bob) }
    #expect(try await store.logOut(key) == .alreadyLoggedOut && store.state == .authenticating)
    authority.release(.authenticate)
    #expect(try await login.value().key.isLive)
  }

  @Test("a check that begins after the store was released, while work on the session goes on, fails")
  func checkAfterRelease() async throws {
    let renewal = await authority.holding(.renew) { Task.immediate { try await store.renew() } }
    store.core.shutDown()
    await #expect(throws: SessionError.ended(.storeReleased)) {
      try await store.core.work(.session(.check), about: .anyone)
    }
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
    // Once the first check has ended, one of them begins the next one, and each other joins it.
    await until {
      store.core.withLock { inner in
        inner.steps?.latest.count { $0.event == "check" && $0.answer == .transition } == others.count
      }
    }
    authority.release(.resume)
    for other in others { _ = try await other.value }
    #expect(world.count(.resume) == 2)
  }

  @Test("without a session, a check throws the reason for its end, even while a logout is under way")
  func noSession() async throws {
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await World().store.check() }
    let logout = await authority.holding(.revoke) { store.beginLogOutAnyone() }
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
