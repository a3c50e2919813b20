import AuthCoreTesting
import Dispatch
import Guards
import Testing

@testable import AuthCore

@Suite("Every logout ends")
struct EndingTests {
  /// The states from which a logout may start.
  enum Start: CaseIterable, Sendable {
    case launch, looking, obstructed, loggedOut, authenticating, saving, loggedIn, renewing, exchanging, checking
    case switching, challenged, answering, challengedInSession

    func reach(_ world: World) async throws {
      switch self {
      case .launch:
        break
      case .looking:
        await world.vault.holding(.load, calls: 1) { Task { await world.store.restore() } }
      case .obstructed:
        world.vault.failReads(World.diskError)
        await world.store.restore()
        world.vault.failReads(nil)
      case .loggedOut:
        await world.store.restore()
      case .authenticating:
        await world.authority.holding(.authenticate) { world.store.beginLogIn(World.alice) }
      case .saving:
        await world.vault.holding(.store) { world.store.beginLogIn(World.alice) }
      case .loggedIn:
        try await world.store.loggedIn(World.alice)
      case .renewing:
        try await world.store.loggedIn(World.alice)
        await world.authority.holding(.renew) { Task { try await world.store.renew() } }
      case .exchanging:
        world.authority.setRotation(true)
        try await world.store.loggedIn(World.alice)
        await world.vault.holding(.replace) { Task { try await world.store.renew() } }
      case .checking:
        try await world.store.loggedIn(World.alice)
        await world.authority.holding(.resume) { Task { try await world.store.check() } }
      case .switching:
        try await world.store.loggedIn(World.alice)
        await world.authority.holding(.authenticate) { Task { try await world.store.switched(to: World.bob) } }
      case .challenged:
        _ = try await world.challengedLogin()
      case .answering:
        let challenge = try await world.challengedLogin()
        await world.authority.holding(.answer) { Task { try await world.store.answered(World.code, to: challenge) } }
      case .challengedInSession:
        try await world.store.loggedIn(World.alice)
        _ = try await world.challengedPassword()
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
      IncompleteCleanup(notRevoked: true),
      causes: ["the authority did not answer a revocation within \(time) seconds"])
  }

  /// Moves the clock by the time of a step until the logout has ended.
  private func drive(_ world: World, _ logout: PendingLogout) async throws -> LogoutResult {
    let result = Locked<LogoutResult?>(nil)
    let waiter = Task {
      let value = try await logout.value()
      result.withLock { $0 = value }
    }
    while result.withLock({ $0 }) == nil {
      if world.clock.sleepers > 0 { world.clock.advance(by: .milliseconds(2500)) }
      await Task.yield()
    }
    try await waiter.value
    return try #require(result.withLock { $0 })
  }

  @Test("a logout ends from every state, even while other work never answers", arguments: Start.allCases)
  func fromEveryState(start: Start) async throws {
    let world = World()
    try await start.reach(world)
    let result = try await drive(world, world.store.beginLogOut())
    switch start {
    case .saving:
      // The content of the vault is unknown until the write has completed, so it is also unknown
      // whether that token is revoked.
      #expect(result == .partial(IncompleteCleanup(notRevoked: true, notErased: true), causes: [Self.notForgotten]))
    case .exchanging:
      // The write under way comes before the erase.
      #expect(result == .partial(IncompleteCleanup(notErased: true), causes: [Self.notForgotten]))
    case .loggedOut:
      #expect(result == .alreadyLoggedOut)
    case .launch, .looking, .obstructed, .authenticating, .loggedIn, .renewing, .checking, .switching, .challenged,
      .answering, .challengedInSession:
      #expect(result == .complete)
    }
    #expect(world.store.session == nil)
    world.releaseEverything()
    await until { world.authority.liveTokens.isEmpty && world.vault.content == .empty }
    await until { world.authority.openChallenges.isEmpty }
  }

  @Test(
    "a logout ends from every state, even if the authority never answers a revocation",
    arguments: Start.allCases)
  func revocationNeverAnswered(start: Start) async throws {
    let world = World()
    try await start.reach(world)
    world.authority.hold(.revoke)
    let result = try await drive(world, world.store.beginLogOut())
    switch start {
    case .launch, .looking, .obstructed, .authenticating, .challenged, .answering:
      #expect(result == .complete, "nothing was kept, so there was nothing to revoke")
    case .loggedOut:
      #expect(result == .alreadyLoggedOut)
    case .loggedIn, .renewing, .checking, .switching, .challengedInSession:
      #expect(result == Self.notRevoked())
      #expect(world.vault.content == .empty)
    case .saving, .exchanging:
      #expect(result.leftovers == IncompleteCleanup(notRevoked: true, notErased: true))
    }
    #expect(world.store.session == nil)
    world.releaseEverything()
  }

  @Test("a logout at launch ends and erases the saved token, even if the authority never answers")
  func atLaunch() async throws {
    let (world, _) = try await World.withAlice()
    let next = world.anotherProcess()
    world.authority.hold(.revoke)
    let result = try await drive(world, next.beginLogOut())
    #expect(result == Self.notRevoked(within: "2.5"))
    #expect(world.vault.content == .empty)
    world.authority.release(.revoke)
  }

  @Test(
    "the next logout retries a token that could not be revoked at launch, and is complete only then")
  func revocationIsTriedAgain() async throws {
    let (world, _) = try await World.withAlice()
    let next = world.anotherProcess()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    let offline = LogoutResult.partial(IncompleteCleanup(notRevoked: true), causes: [World.offline.description])
    #expect(try await next.logOut() == offline)
    #expect(world.vault.content == .empty)
    #expect(try await next.logOut() == offline)
    #expect(world.authority.liveTokens.count == 1)
    world.authority.fail(.revoke, with: nil)
    #expect(try await next.logOut() == .complete)
    #expect(world.authority.liveTokens.isEmpty)
    #expect(try await next.logOut() == .alreadyLoggedOut)
  }

  @Test("a logout reports its failed steps with their causes, and the next logout retries them")
  func partial() async throws {
    let (world, key) = try await World.withAlice()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    world.vault.failWrites(World.diskError)
    #expect(
      try await world.store.logOut()
        == .partial(
          IncompleteCleanup(notRevoked: true, notErased: true),
          causes: [World.offline.description, World.diskError.description]))
    #expect(!key.isLive)
    #expect(world.store.state == .loggedOut(.ended(.userAsked)))
    world.authority.fail(.revoke, with: nil)
    world.vault.failWrites(nil)
    #expect(try await world.store.logOut() == .complete)
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("the cause of a late failure is not reported for the next logout")
  func lateCause() async throws {
    let (world, _) = try await World.withAlice()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    world.authority.hold(.revoke, at: .answer, calls: 1)
    _ = try await drive(world, world.store.beginLogOut())
    world.authority.fail(.revoke, with: nil)
    let second = await world.vault.holding(.erase) { world.store.beginLogOut() }
    world.authority.release(.revoke, at: .answer)
    await until { world.clock.sleepers > 0 }
    world.vault.failWrites(World.diskError)
    world.vault.release(.erase)
    #expect(
      try await second.value() == .partial(IncompleteCleanup(notErased: true), causes: [World.diskError.description]))
  }

  @Test("a logout joins a running one, even one that a limit began", arguments: [true, false])
  func joined(byLimit: Bool) async throws {
    let (world, _) = try await World.withAlice()
    world.authority.hold(.revoke)
    if byLimit {
      await world.clock.waitForSleepers(1)
      world.clock.advance(by: .seconds(1800))
    } else {
      world.store.beginLogOut()
    }
    await world.authority.waitUntilHeld(.revoke)
    let waiters = (0..<8).map { _ in Task { try await world.store.logOut() } }
    await Task.yield()
    world.authority.release(.revoke)
    for waiter in waiters {
      #expect([.complete, .alreadyLoggedOut].contains(try await waiter.value))
    }
    #expect(world.count(.revoke) == 1)
  }

  @Test("a logout during a switch of users ends both sessions")
  func duringASwitch() async throws {
    let (world, _) = try await World.withAlice()
    let change = await world.authority.holding(.revoke) { Task { try await world.store.switched(to: World.bob) } }
    #expect(world.store.state == .loggingOut)
    let logout = world.store.beginLogOut()
    world.authority.release(.revoke)
    #expect(try await logout.value() == .complete)
    await #expect(throws: SessionError.ended(.userAsked)) { try await change.value }
    #expect(world.authority.liveTokens.isEmpty)
    #expect(world.vault.content == .empty)
    #expect(world.store.session == nil)
  }

  @Test("a logout continues and ends after the store is released, even if the authority never answers")
  func storeGone() async throws {
    let world = World()
    let (authority, clock) = (world.authority, world.clock)
    var store: SessionStore? = world.anotherProcess()
    let key = try await store?.loggedIn(World.alice)
    authority.hold(.revoke)
    let logout = try #require(store?.beginLogOut())
    await authority.waitUntilHeld(.revoke)
    store = nil
    await clock.waitForSleepers(1, dueWithin: .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(try await logout.value() == Self.notRevoked())
    #expect(world.vault.content == .empty)
    #expect(key?.endReason == .userAsked)
    authority.release(.revoke)
  }

  @Test("a step that blocks its thread has a time limit for each caller that joins the logout")
  func blocked() async throws {
    let world = World()
    let authority = BlockingAuthority(world.authority)
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock, worksOn: .callingThread)
    try await store.loggedIn(World.alice)
    DispatchQueue.global().async { store.beginLogOut() }
    await until { authority.isBlocked }
    let joined = store.beginLogOut()
    await world.clock.waitForSleepers(1, dueWithin: .seconds(5))
    world.clock.advance(by: .seconds(5))
    let result = try await joined.value()
    authority.letGo()
    #expect(result.leftovers == IncompleteCleanup(notRevoked: true))
    #expect(world.vault.content == .empty)
  }

  @Test("a token that another process exchanged, and that could not be revoked, is not reported as erased")
  func exchangedElsewhere() async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let other = world.anotherProcess()
    await other.restore()
    try await other.renew()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    #expect(try await world.store.logOut().leftovers == IncompleteCleanup(notRevoked: true, notErased: true))
    world.authority.fail(.revoke, with: nil)
    #expect(try await world.store.logOut() == .complete)
    #expect(world.authority.liveTokens.isEmpty)
    #expect(await world.anotherProcess().restore() == .loggedOut(.ended(.userAsked)))
  }

  @Test("a logout sets aside a saved token that became corrupt")
  func corruptedMeanwhile() async throws {
    let (world, _) = try await World.withAlice()
    let evidence = VaultEvidence(
      "session: cut short", hint: "Log in again.", salvaged: world.authority.liveTokens.first)
    world.vault.content = .corrupt(evidence)
    #expect(try await world.store.logOut() == .complete)
    #expect(world.vault.evidence == [evidence])
    #expect(world.vault.content == .empty)
  }

  @Test("the next logout revokes the unrevoked token of an earlier session", arguments: [false, true])
  func leftBehind(bySwitching: Bool) async throws {
    let (world, _) = try await World.withAlice()
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    if bySwitching {
      try await world.store.switched(to: World.bob)
      #expect(world.store.leftovers == IncompleteCleanup(notRevoked: true))
    } else {
      try await world.store.logOut()
      #expect(world.store.leftovers == IncompleteCleanup(notRevoked: true))
      try await world.store.loggedIn(World.bob)
    }
    #expect(world.authority.liveTokens.count == 2)
    world.authority.fail(.revoke, with: nil)
    #expect(try await world.store.logOut() == .complete)
    #expect(world.authority.liveTokens.isEmpty)
  }
}

/// An authority whose `revoke` blocks the calling thread.
private final class BlockingAuthority: ForwardingAuthority {
  let base: ScriptedAuthority
  private let gate = DispatchSemaphore(value: 0)
  private let blocked = Locked(false)

  init(_ base: ScriptedAuthority) {
    self.base = base
  }

  var isBlocked: Bool { blocked.withLock { $0 } }

  func letGo() { gate.signal() }

  func willCall(_ operation: ScriptedAuthority.Operation) {
    guard operation == .revoke else { return }
    blocked.withLock { $0 = true }
    gate.wait()
  }
}
