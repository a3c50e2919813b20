import AuthCoreTesting
import Dispatch
import Testing

@testable import AuthCore

@Suite("Every logout ends", .timeLimit(.minutes(10)))
struct EndingTests: InWorld {
  let world = World()

  /// The states from which a logout may start.
  enum Start: CaseIterable, Sendable {
    case launch, looking, obstructed, loggedOut, authenticating, saving, loggedIn, renewing, exchanging, checking
    case switching, challenged, answering, challengedInSession, renewingBesideChallenge

    private static let inSession: Set = [
      loggedIn, renewing, exchanging, checking, switching, challengedInSession, renewingBesideChallenge,
    ]

    func reach(_ world: World) async throws {
      let (store, authority) = (world.store, world.authority)
      if Self.inSession.contains(self) { try await store.loggedIn(World.alice) }
      switch self {
      case .launch, .loggedIn: break
      case .looking: await world.vault.holding(.load, calls: 1) { Task { await store.restore() } }
      case .obstructed:
        world.vault.failReads(World.diskError)
        await store.restore()
        world.vault.failReads(nil)
      case .loggedOut: await store.restore()
      case .authenticating: await authority.holding(.authenticate) { store.beginLogIn(World.alice) }
      case .saving: await world.vault.holding(.store) { store.beginLogIn(World.alice) }
      case .renewing: await authority.holding(.renew) { Task { try await store.renew() } }
      case .exchanging:
        authority.setRotation(true)
        await world.vault.holding(.replace) { Task { try await store.renew() } }
      case .checking: await authority.holding(.resume) { Task { try await store.check() } }
      case .switching: await authority.holding(.authenticate) { Task { try await store.switchUser(to: World.bob).key } }
      case .challenged: _ = try await world.challenged()
      case .answering:
        let challenge = try await world.challenged()
        await authority.holding(.answer) { Task { try await store.answer(World.code, to: challenge).key } }
      case .challengedInSession: _ = try await world.challenged(by: .password)
      case .renewingBesideChallenge:
        _ = try await world.challenged(by: .password)
        await authority.holding(.renew) { Task { try await store.renew() } }
      }
    }
  }

  @Test("the starts cover every state")
  func starts() async throws {
    var reached: Set<SessionState.Kind> = [.loggingOut]
    for start in Start.allCases {
      let world = World()
      try await start.reach(world)
      reached.insert(world.store.core.withLock { $0.machine.state.kind })
      world.releaseEverything()
    }
    #expect(reached == Set(SessionState.Kind.allCases))
  }

  private static let notForgotten = "the vault did not forget the session within 5.0 seconds"

  private static func notRevoked(within time: String = "5.0") -> LogoutResult {
    .partial(
      IncompleteCleanup(notRevoked: true), causes: ["the authority did not answer a revocation within \(time) seconds"])
  }

  /// Moves the clock by the time of a step until the logout has ended.
  private func drive(_ logout: PendingLogout) async throws -> LogoutResult {
    let driver = Task {
      while !Task.isCancelled {
        // Work that nobody holds ends before its limit.
        for _ in 0..<200 { await Task.yield() }
        if clock.sleepers > 0 { clock.advance(by: .milliseconds(2500)) }
      }
    }
    let result = try await logout.value()
    driver.cancel()
    await driver.value
    return result
  }

  @Test(
    "a logout ends from every state, even while other work or the revocation never answers",
    arguments: Start.allCases, [true, false])
  func fromEveryState(start: Start, isRevoked: Bool) async throws {
    try await start.reach(world)
    if !isRevoked { authority.hold(.revoke) }
    let result = try await drive(store.beginLogOutAnyone())
    switch (start, isRevoked) {
    case (.saving, true):
      // The content of the vault is unknown until the write has completed, so it is also unknown
      // whether that token is revoked.
      #expect(result == .partial(IncompleteCleanup(notRevoked: true, notErased: true), causes: [Self.notForgotten]))
    case (.exchanging, true):
      // The write under way comes before the erase.
      #expect(result == .partial(IncompleteCleanup(notErased: true), causes: [Self.notForgotten]))
    case (.saving, false), (.exchanging, false):
      #expect(result.leftovers == IncompleteCleanup(notRevoked: true, notErased: true))
    case (.loggedOut, _):
      #expect(result == .alreadyLoggedOut)
    case (.loggedIn, false), (.renewing, false), (.checking, false), (.switching, false), (.challengedInSession, false),
      (.renewingBesideChallenge, false):
      #expect(result == Self.notRevoked())
      #expect(vault.content == .empty)
    case (_, true), (.launch, _), (.looking, _), (.obstructed, _), (.authenticating, _), (.challenged, _),
      (.answering, _):
      #expect(result == .complete)
    }
    #expect(store.session == nil)
    world.releaseEverything()
    await until { world.isEmpty }
  }

  @Test("a logout at launch ends and erases the saved token, even if the authority never answers")
  func atLaunch() async throws {
    try await logInAlice()
    let next = world.anotherProcess()
    authority.hold(.revoke)
    let logout = next.beginLogOutAnyone()
    await authority.waitUntilHeld(.revoke)
    await clock.reachLimit(in: .milliseconds(2500))
    #expect(try await logout.value() == Self.notRevoked(within: "2.5"))
    #expect(vault.content == .empty)
    authority.release(.revoke)
  }

  @Test("a logout reports its failed steps with their causes, and the next logout retries them")
  func partial() async throws {
    let key = try await logInAlice()
    authority.fail(.revoke, with: .unavailable(World.offline))
    vault.failWrites(World.diskError)
    #expect(
      try await store.logOutAnyone()
        == .partial(
          IncompleteCleanup(notRevoked: true, notErased: true),
          causes: [World.offline.description, World.diskError.description]))
    #expect(!key.isLive)
    #expect(await store.restore() == .loggedOut(.ended(.userAsked)), "the vault still holds the token")
    authority.fail(.revoke, with: nil)
    vault.failWrites(nil)
    #expect(try await store.logOutAnyone() == .complete)
    #expect(world.isEmpty)
  }

  @Test("a logout at an authority that cannot end a session says so, and the next logout does not repeat it")
  func withoutRevocation() async throws {
    try await logInAlice()
    authority.fail(.revoke, with: .unavailable(Unavailability(.unsupported, "It cannot.")))
    #expect(try await store.logOutAnyone() == .withoutRevocation)
    #expect(vault.content == .empty)
    try await logInAlice()
    vault.failWrites(World.diskError)
    #expect(try await store.logOutAnyone().leftovers == IncompleteCleanup(notErased: true))
    #expect(world.count(.revoke) == 2)
    vault.failWrites(nil)
    #expect(try await world.anotherProcess().logOutAnyone() == .withoutRevocation)
  }

  @Test("the cause of a late failure is not reported for the next logout")
  func lateCause() async throws {
    try await logInAlice()
    authority.fail(.revoke, with: .unavailable(World.offline))
    authority.hold(.revoke, at: .end, calls: 1)
    _ = try await drive(store.beginLogOutAnyone())
    authority.fail(.revoke, with: nil)
    let second = await vault.holding(.erase) { store.beginLogOutAnyone() }
    authority.release(.revoke, at: .end)
    await until { clock.sleepers > 0 }
    vault.failWrites(World.diskError)
    vault.release(.erase)
    #expect(
      try await second.value() == .partial(IncompleteCleanup(notErased: true), causes: [World.diskError.description]))
  }

  @Test("a logout joins a running one, even one that a limit began", arguments: [true, false])
  func joined(byLimit: Bool) async throws {
    try await logInAlice()
    authority.hold(.revoke)
    if byLimit {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1800))
    } else {
      store.beginLogOutAnyone()
    }
    await authority.waitUntilHeld(.revoke)
    let waiters = (0..<8).map { _ in Task { try await store.logOutAnyone() } }
    await Task.yield()
    authority.release(.revoke)
    for waiter in waiters {
      #expect([.complete, .alreadyLoggedOut].contains(try await waiter.value))
    }
    #expect(world.count(.revoke) == 1)
  }

  @Test("a logout during a switch of users ends both sessions")
  func duringASwitch() async throws {
    try await logInAlice()
    let change = await authority.holding(.revoke) { Task { try await store.switchUser(to: World.bob).key } }
    #expect(store.state == .loggingOut(.switchedUser))
    let logout = store.beginLogOutAnyone()
    authority.release(.revoke)
    #expect(try await logout.value() == .complete)
    await #expect(throws: SessionError.ended(.userAsked)) { try await change.value }
    #expect(world.isEmpty && store.session == nil)
  }

  @Test("a logout continues and ends after the store is released, even if the authority never answers")
  func storeGone() async throws {
    var store: SessionStore? = world.anotherProcess()
    let key = try await store?.loggedIn(World.alice)
    authority.hold(.revoke)
    let logout = try #require(store?.beginLogOutAnyone())
    await authority.waitUntilHeld(.revoke)
    store = nil
    await clock.reachLimit(in: .seconds(5))
    #expect(try await logout.value() == Self.notRevoked())
    #expect(vault.content == .empty)
    #expect(key?.endReason == .userAsked)
    authority.release(.revoke)
  }

  @Test("a step that blocks its thread has a time limit for each caller that joins the logout")
  func blocked() async throws {
    let blocker = Blocker(authority)
    try await logInAlice()
    blocker.shut()
    DispatchQueue.global().async { store.beginLogOutAnyone() }
    await until { blocker.blockedCalls > 0 }
    let joined = store.beginLogOutAnyone()
    await clock.reachLimit(in: .seconds(5))
    let result = try await joined.value()
    blocker.open()
    #expect(result.leftovers == IncompleteCleanup(notRevoked: true))
    #expect(vault.content == .empty)
  }

  /// A token that lives on while the authority cannot be asked to revoke it.
  enum Survivor: CaseIterable { case savedAtLaunch, exchangedElsewhere, loggedOut, switched }

  @Test(
    "a token that could not be revoked is reported, and each later logout retries it, until it is complete",
    arguments: Survivor.allCases)
  func retried(survivor: Survivor) async throws {
    try await logInAlice(rotates: survivor == .exchangedElsewhere)
    let store = survivor == .savedAtLaunch ? world.anotherProcess() : world.store
    if survivor == .exchangedElsewhere {
      try await world.launched().renew()
    }
    authority.fail(.revoke, with: .unavailable(World.offline))
    // The vault keeps the token of the other process, and it still works.
    let left = IncompleteCleanup(notRevoked: true, notErased: survivor == .exchangedElsewhere)
    if survivor == .switched {
      _ = try await store.switchUser(to: World.bob).key
    } else {
      for _ in 1...2 { #expect(try await store.logOutAnyone().leftovers == left) }
    }
    #expect(store.leftovers == left)
    if survivor == .loggedOut { try await store.loggedIn(World.bob) }
    #expect(!authority.liveTokens.isEmpty)
    authority.fail(.revoke, with: nil)
    #expect(try await store.logOutAnyone() == .complete)
    #expect(authority.liveTokens.isEmpty)
    #expect(try await store.logOutAnyone() == .alreadyLoggedOut)
    #expect(await world.anotherProcess().restore() == .loggedOut(.neverLoggedIn))
  }
}
