import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite(
  "Several stores exchange the token of one vault, at an authority that spends the old one", .timeLimit(.minutes(10)))
struct ExchangeTests: InWorld {
  let world = World()

  init() async throws {
    world.authority.setExchange(.spendsOld)
    world.authority.setAccessTokens(lasting: .seconds(300))
    try await world.store.loggedIn(World.alice)
  }

  @Test("an authority whose old token works until the new one is confirmed takes no lock") func noLock() async throws {
    let world = World()
    world.authority.setRotation(true)
    try await world.store.loggedIn(World.alice)
    try await world.store.renew()
    _ = await world.anotherProcess().restore()
    #expect(Set(world.vault.log).isDisjoint(with: [.lock, .begin, .release]))
  }

  @Test("a new process lends the saved access token without a request, and the next one after its end")
  func lends() async throws {
    let other = try await world.launched()
    let lent = try await other.session?.withAccess { token in token.header }
    #expect(lent != nil && world.count(.renew) == 0)
    clock.advance(by: .seconds(301))
    let next = try await other.session?.withAccess { token in token.header }
    #expect(next != lent && world.count(.renew) == 1)
    #expect(try await store.session?.withAccess { token in token.header } == next)
    #expect(world.count(.renew) == 1)
  }

  @Test("a store whose token another one exchanged long ago adopts the newer one, without a request")
  func adopts() async throws {
    let other = try await world.launched()
    try await other.renew()
    clock.advance(by: .seconds(400))
    try await other.renew()
    clock.advance(by: .seconds(1))
    try await store.renew()
    #expect(world.count(.renew) == 2 && world.vaultAgrees)
    #expect(store.session?.isLive == true && other.session?.isLive == true)
  }

  @Test("of stores that renew simultaneously one asks, and nobody is logged out", arguments: [true, false])
  func simultaneous(sharesAuthority: Bool) async throws {
    let vault: any SessionVault = sharesAuthority ? OneProcessVault(base: vault) : vault
    let stores = (1...4).map { _ in
      SessionStore(authority: authority, vault: vault, clock: clock, executor: .separateThreads)
    }
    for store in stores { try #require(await store.restore().key != nil) }
    let renewals = await authority.holding(.renew) {
      stores.map { store in Task { try await store.renew() } }
    }
    authority.release(.renew)
    for renewal in renewals { _ = try await renewal.value }
    #expect(world.count(.renew) == 1 && world.vaultAgrees)
  }

  @Test("a failure is shared by those who waited for it") func sharedFailure() async throws {
    let stores = (1...4).map { _ in world.anotherProcess(executor: .separateThreads) }
    for store in stores { await store.restore() }
    authority.fail(.renew, with: .unavailable(World.offline))
    vault.hold(.lock, at: .end)
    let renewals = stores.map { store in Task { try await store.renew() } }
    await vault.waitUntilHeld(.lock, at: .end, count: 4)
    vault.release(.lock, at: .end)
    for renewal in renewals { await #expect(throws: SessionError.self) { try await renewal.value } }
    #expect(world.count(.renew) == 1)
    authority.fail(.renew, with: nil)
    try await store.renew()
    #expect(world.vaultAgrees)
  }

  @Test(
    "a logout during a renewal, by the same store or another, leaves no session", arguments: [true, false],
    HoldingPoint.allCases)
  func logoutMeanwhile(byAnother: Bool, point: HoldingPoint) async throws {
    let store = try await world.launched(executor: .separateThreads)
    let renewal = await authority.holding(.renew, at: point) { Task { try await store.renew() } }
    _ = try await (byAnother ? world.store : store).logOutAnyone()
    authority.release(.renew, at: point)
    await #expect(throws: SessionError.self) { try await renewal.value }
    await until { world.isEmpty }
  }

  /// Begins the renewal of another store, whose answer does not arrive.
  private func beginRenewal() async throws {
    let doomed = try await world.launched(executor: .separateThreads)
    _ = await authority.holding(.renew, at: .end, calls: 1) { Task { try await doomed.renew() } }
  }

  @Test(
    "after a store was killed with an answer that nobody wrote down, the session is over, and the reason says so",
    arguments: [true, false])
  func lostAnswer(atLaunch: Bool) async throws {
    try await beginRenewal()
    vault.killHolder(answer: nil)
    let reason = EndReason.interrupted(began: BootInstant(boot: BootID(high: 0, low: 0), uptime: .seconds(1)))
    if atLaunch {
      #expect(await world.anotherProcess().restore() == .loggedOut(.ended(reason)))
    } else {
      await #expect(throws: SessionError.ended(reason)) {
        try await store.reauthenticate(password: World.alice.password)
      }
    }
  }

  @Test("a refusal after a request that certainly was not sent is not called interrupted", arguments: [true, false])
  func unsent(isUnsent: Bool) async throws {
    authority.fail(.renew, with: .unavailable(Unavailability(.unreachable, "no connection", isUnsent: isUnsent)))
    await #expect(throws: SessionError.self) { try await store.renew() }
    authority.fail(.renew, with: nil)
    for token in authority.liveTokens { authority.end(token, .revoked) }
    clock.advance(by: .seconds(60))
    let failure = await #expect(throws: SessionError.self) { try await store.renew() }
    guard case .ended(let reason) = failure else { throw failure ?? .overtaken }
    #expect((reason == .revoked) == isUnsent && (reason.code == "interrupted") == !isUnsent)
  }

  @Test("a launch waits for the request of a store that was killed, and says so if that never ends")
  func requestOfTheDead() async throws {
    try await beginRenewal()
    vault.killHolderDuringRequest()
    vault.stopHolder(true)
    guard case .obstructed(.vault) = await world.anotherProcess().restore() else { throw SessionError.overtaken }
    vault.stopHolder(false)
    let next = world.anotherProcess(executor: .separateThreads)
    let locks = vault.log.count { $0 == .lock }
    let restoring = Task { await next.restore() }
    await until { vault.log.count { $0 == .lock } > locks }
    vault.killHolder(answer: authority.liveTokens.first?.bytes)
    #expect(await restoring.value.key != nil)
    #expect(world.count(.renew) == 1 && world.vaultAgrees)
  }

  @Test("a renewal that is answered for another user is not saved, and its token is revoked")
  func answeredForAnother() async throws {
    let key = try #require(store.session)
    let foreign = try #require(try await authority.authenticate(World.bob, limits: .standard).grant)
    let answered = Grant(id: key.id, user: foreign.user, token: foreign.token, limits: foreign.limits)
    authority.script(\.renewals, .success(answered))
    let failure = await #expect(throws: SessionError.self) { try await store.renew() }
    #expect(failure?.unavailability?.cause == .unparsable)
    guard case .token(let token, _) = await vault.load() else { throw SessionError.overtaken }
    #expect(token != foreign.token && store.session?.user == key.user)
    await store.quiet()
    #expect(!authority.liveTokens.contains(foreign.token))
  }

  /// A command that finds a token which its store could not save.
  enum Later: CaseIterable { case renewal, password, check, logOut }

  @Test(
    "a token that cannot be saved is saved by the next command, without another request, and revoked by a logout",
    arguments: Later.allCases)
  func unsaved(later: Later) async throws {
    vault.failReleasing(World.diskError)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await store.renew() }
    #expect(store.session?.isLive == true)
    if later == .password {
      await #expect(throws: SessionError.notSaved(World.diskError)) {
        try await store.reauthenticate(password: World.alice.password)
      }
    }
    vault.failReleasing(nil)
    clock.advance(by: .seconds(60))
    switch later {
    case .renewal: try await store.renew()
    case .password: _ = try await store.reauthenticate(password: World.alice.password)
    case .check: try await store.check()
    case .logOut: #expect(try await store.logOutAnyone() == .complete)
    }
    #expect(world.count(.renew) == 1 && (later == .logOut ? world.isEmpty : world.vaultAgrees))
  }

  @Test(
    "a token that never fits the vault does not block renewals for ever: after three tries there is another one",
    arguments: [true, false])
  func neverSaved(byPassword: Bool) async throws {
    try await store.renew()
    let store = SessionStore(
      authority: authority, vault: SmallVault(base: vault), clock: clock, executor: .separateThreads)
    try #require(await store.restore().key != nil)
    let name = String(repeating: "A", count: 2000)
    authority.setAccount("alice", password: World.alice.password, displayName: name)
    for number in 1...3 {
      clock.advance(by: .seconds(60))
      await #expect(throws: SessionError.notSaved(SmallVault.full)) {
        if number == 1, byPassword {
          _ = try await store.reauthenticate(password: World.alice.password)
        } else {
          try await store.renew()
        }
      }
      authority.setAccount("alice", password: World.alice.password)
    }
    let asked = world.count(.renew)
    for _ in 1...2 {
      clock.advance(by: .seconds(60))
      try await store.renew()
    }
    #expect(world.count(.renew) == asked + 2 && world.vaultAgrees)
    #expect(try await store.logOutAnyone() == .complete)
    #expect(world.isEmpty)
  }

  @Test("in one process, a store gives up at its limit, sends nothing, and leaves the wait of the others alone")
  func localWait() async throws {
    let shared = OneProcessVault(base: vault)
    // One table serves all vaults, and other tests lock the first token of their worlds.
    try await store.renew()
    func launched(waiting wait: Duration) async -> SessionStore {
      let store = SessionStore(
        authority: authority, vault: shared, clock: clock, timing: SessionTiming(renewalStep: wait),
        executor: .separateThreads)
      // On a slow machine a short limit may end the first launches.
      while await store.restore().key == nil {}
      return store
    }
    let (first, patient) = (await launched(waiting: .seconds(600)), await launched(waiting: .seconds(600)))
    let impatient = await launched(waiting: .milliseconds(12))
    let holder = await authority.holding(.renew) { Task { try await first.renew() } }
    let waiter = Task { try await patient.renew() }
    // The wait for the lock gives up before the step does, or on a slow machine the step itself.
    let failure = await #expect(throws: SessionError.self) { try await impatient.renew() }
    guard [.vault(LocalLocks.lockedHere), .unavailable(.late)].contains(failure) else { throw failure ?? .overtaken }
    guard case .token(let token, _) = await vault.load() else { throw SessionError.overtaken }
    guard case .busy(let holding) = try await shared.lockExchange(of: token, wait: .milliseconds(1)) else {
      throw SessionError.overtaken
    }
    #expect(holding == LocalLocks.lockedHere)
    authority.release(.renew)
    _ = try await (holder.value, waiter.value)
    #expect(world.count(.renew) == 2 && world.vaultAgrees)
  }

  /// The steps of a renewal at which another store does something: see `ExchangeModel`.
  enum Step: CaseIterable { case lock, note, ask, save }

  /// What the other store does.
  enum Other: CaseIterable { case renew, launch, password, logIn, logOut, logOutAtLaunch }

  @Test(
    "at each step of a renewal, another store renews, starts, checks the password, logs in or out: no rule is broken",
    arguments: Step.allCases.flatMap { step in HoldingPoint.allCases.map { (step: step, point: $0) } }, Other.allCases)
  func interleaved(at place: (step: Step, point: HoldingPoint), other: Other) async throws {
    for isKilled in [false, true] {
      let world = World(executor: .separateThreads)
      world.authority.setExchange(.spendsOld)
      try await world.store.loggedIn(World.alice)
      let others = try await world.launched(executor: .separateThreads)
      let (vault, authority, point) = (world.vault, world.authority, place.point)
      func begin() -> Task<Void, any Error> { Task { _ = try await world.store.renew() } }
      let renewal =
        switch place.step {
        case .lock: await vault.holding(.lock, at: point, calls: 1, begin)
        case .note: await vault.holding(.begin, at: point, calls: 1, begin)
        case .ask: await authority.holding(.renew, at: point, calls: 1, begin)
        case .save: await vault.holding(.release, at: point, calls: 1, begin)
        }
      let isAnswered = place.step == .save && point == .start || place.step == .ask && point == .end
      // Before its lock and after the save, the dead store has none.
      if isKilled, (place.step, point) != (.lock, .start) {
        vault.killHolder(answer: isAnswered ? authority.liveTokens.first?.bytes : nil)
      }
      let launched = world.anotherProcess()
      let work = Task { () async throws -> Void in
        switch other {
        case .renew: try await others.renew()
        case .launch: _ = await launched.restore()
        case .password: _ = try await others.reauthenticate(password: World.alice.password)
        case .logIn: try await launched.loggedIn(World.bob)
        case .logOut: _ = try await others.logOutAnyone()
        case .logOutAtLaunch: _ = try await launched.logOutAnyone()
        }
      }
      if !isKilled {
        for _ in 1...50 { await Task.yield() }
        world.releaseEverything()
        _ = try? await renewal.value
        await world.store.quiet()
      }
      // Another store may have changed the session first, and its change is adopted.
      do { try await work.value } catch SessionError.overtaken {}
      for store in [others, launched] { await store.quiet() }
      switch other {
      case .logOut, .logOutAtLaunch: #expect(world.isEmpty, "killed: \(isKilled)")
      case .logIn: #expect(world.vaultAgrees && launched.session?.isLive == true, "killed: \(isKilled)")
      case .renew, .launch, .password:
        #expect(world.vaultAgrees && others.session?.isLive == true, "killed: \(isKilled)")
        // A recorded answer is used; without one, the next store asks again.
        if isKilled, place.step == .ask { #expect(world.count(.renew) == (isAnswered ? 1 : 2)) }
        world.clock.advance(by: .seconds(60))
        try await others.renew()
      }
    }
  }

  @Test(
    "a logout ends the session also if another store renews it meanwhile, and says if the server did not confirm that",
    arguments: [false, true], [false, true])
  func logoutDuringRenewal(isRestored: Bool, isOffline: Bool) async throws {
    let world = World(executor: .separateThreads)
    world.authority.setExchange(.spendsOld)
    try await world.store.loggedIn(World.alice)
    let other = isRestored ? try await world.launched(executor: .separateThreads) : world.anotherProcess()
    // Before the logout begins, which revokes while it erases.
    if isOffline { world.authority.fail(.revoke, with: .unavailable(World.offline)) }
    // It has read the old token, and then revokes it.
    let logout = await world.vault.holding(.load, at: .end, calls: 1) { Task { try await other.logOutAnyone() } }
    try await world.store.renew()
    await world.vault.holding(.erase, at: .start, calls: 1) { world.vault.release(.load, at: .end) }
    world.releaseEverything()
    let result = try await logout.value
    if isOffline {
      guard case .partial(let left, _) = result else { throw Unexpected(result: result) }
      #expect(left.notRevoked && !left.notErased && world.vault.content == .empty)
      world.authority.fail(.revoke, with: nil)
      #expect(try await other.logOutAnyone() == .complete)
    } else {
      #expect(result == .complete)
    }
    #expect(world.isEmpty)
  }

  private struct Unexpected: Error { let result: LogoutResult }

  @Test("details of a token come back from their bytes, and other bytes are none")
  func details() {
    let instant = BootInstant(
      boot: BootID(high: .max, low: 1), uptime: Duration(secondsComponent: 1 << 40, attosecondsComponent: 999))
    let deadlines: [Deadline] = [.at(instant), .never, .unknown]
    var all = deadlines.map { TokenDetails(accessToken: AccessToken("a\n\u{0}", deadline: $0)) }
    all += [
      TokenDetails(), TokenDetails(session: SessionID(rawValue: "")),
      TokenDetails(user: LastKnownUser(username: "a", displayName: "")),
    ]
    all.append(
      TokenDetails(
        session: SessionID(rawValue: "s"), user: LastKnownUser(username: "", displayName: "é"),
        accessToken: AccessToken("", deadline: .never)))
    for details in all {
      let bytes = details.bytes
      #expect(TokenDetails(bytes: bytes) == details)
      for count in bytes.indices { #expect(TokenDetails(bytes: Array(bytes[..<count])) == nil) }
      #expect(TokenDetails(bytes: bytes + [0]) == nil)
    }
    #expect(TokenDetails(bytes: Array(repeating: 255, count: 40)) == nil)
  }

  @Test("a holder that is stopped makes the others give up, and they send nothing") func stopped() async throws {
    let stopped = try await world.launched(executor: .separateThreads)
    let renewal = await authority.holding(.renew) { Task { try await stopped.renew() } }
    vault.stopHolder(true)
    let failure = await #expect(throws: SessionError.self) { try await store.renew() }
    guard case .vault = failure else { throw failure ?? .overtaken }
    #expect(world.count(.renew) == 1 && store.session?.isLive == true)
    vault.stopHolder(false)
    authority.release(.renew)
    _ = try await renewal.value
    try await store.renew()
    #expect(world.count(.renew) == 1 && world.vaultAgrees)
  }

  @Test("without room for the result nothing is sent") func noRoom() async throws {
    vault.failWrites(World.diskError)
    await #expect(throws: SessionError.vault(World.diskError)) { try await store.renew() }
    #expect(world.count(.renew) == 0)
    vault.failWrites(nil)
    clock.advance(by: .seconds(60))
    try await store.renew()
    #expect(world.vaultAgrees)
  }

  @Test("a password check and a switch of users work on the token that another store renewed") func afterOthers()
    async throws
  {
    let other = try await world.launched()
    try await other.renew()
    _ = try await store.reauthenticate(password: World.alice.password)
    #expect(world.vaultAgrees)
    try await other.renew()
    clock.advance(by: .seconds(60))
    try await other.renew()
    _ = try await store.switchUser(to: World.bob)
    await until { world.vaultAgrees }
    #expect(store.session?.user.username == "bob")
  }
}
