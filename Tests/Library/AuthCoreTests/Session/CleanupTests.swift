import AuthCoreTesting
import ConcurrencyKit
import Testing

@testable import AuthCore

/// What remains after a logout that other work overtakes, and loops that another process feeds.
@Suite(.timeLimit(.minutes(10))) struct CleanupTests: InWorld {
  let world = World()

  /// A vault that another process changes at each read, or that misses its token at some.
  private final class RestlessVault: SessionVault {
    let base: InMemoryVault
    /// Changes the answer of a read; gets its number, from 1.
    private let answer: @Sendable (Int, VaultReading) -> VaultReading
    private let reads = Locked(0)

    init(_ base: InMemoryVault, _ answer: @escaping @Sendable (Int, VaultReading) -> VaultReading) {
      (self.base, self.answer) = (base, answer)
    }

    var count: Int { reads.withLock(\.self) }

    func load() async -> VaultReading {
      let number = reads.withLock { reads in
        reads += 1
        return reads
      }
      return answer(number, await base.load())
    }
    func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
      try await base.store(token, details)
    }
    func replace(
      _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
    ) async throws(VaultError) -> Bool { try await base.replace(old, with: new, details) }
    func erase(_ token: SessionToken) async throws(VaultError) { try await base.erase(token) }
    func setAside() async throws(VaultError) -> String? { try await base.setAside() }
  }

  @Test(
    "a vault that shows another token at each read ends a launch and a check, and they say so",
    arguments: [TokenExchange.untilConfirmed, .spendsOld], [true, false])
  func restless(exchange: TokenExchange, isLaunch: Bool) async throws {
    authority.setExchange(exchange)
    try await logInAlice()
    let isRestless = Locked(false)
    let vault = RestlessVault(vault) { number, reading in
      isRestless.withLock(\.self) ? .token(SessionToken(bytes: Array("other-\(number)".utf8))) : reading
    }
    let other = SessionStore(authority: authority, vault: vault, clock: clock)
    if !isLaunch { await other.restore() }
    isRestless.withLock { $0 = true }
    for _ in 1...1000 { authority.script(\.resumptions, .failure(.rejected(.superseded))) }
    if isLaunch {
      guard case .obstructed(.authority(let cause)) = await other.restore() else { throw Unexpected() }
      #expect(cause.description.contains("again and again"))
    } else {
      await #expect(throws: SessionError.self) { try await other.check() }
    }
    await other.quiet()
    let reads = vault.count
    await other.quiet()
    #expect(vault.count == reads && reads < 50)
  }

  private struct Unexpected: Error {}

  @Test("one missing read of the vault ends no session, and a vault that stays empty does", arguments: [true, false])
  func missedOnce(isOnce: Bool) async throws {
    try await logInAlice()
    let vault = RestlessVault(vault) { number, reading in number == 2 || !isOnce && number > 2 ? .absent : reading }
    let other = SessionStore(authority: authority, vault: vault, clock: clock)
    let session = try #require(await other.restore().key)
    if isOnce {
      try await other.check()
      #expect(session.isLive && !authority.liveTokens.isEmpty)
    } else {
      await #expect(throws: SessionError.ended(.userAsked)) { try await other.check() }
    }
  }

  @Test(
    "a login over a session of another authority is refused before it is asked; what is saved stays",
    arguments: [true, false])
  func elsewhere(isRestored: Bool) async throws {
    let other = ScriptedAuthority(clock: clock, name: "other/")
    other.setAccount("alice", password: World.alice.password)
    let first = SessionStore(authority: other, vault: vault, clock: clock, executor: .callingThread)
    try await first.loggedIn(World.alice)
    let before = vault.content
    if isRestored {
      guard case .obstructed(.authority(let cause)) = await store.restore() else { throw Unexpected() }
      #expect(cause.code == "session_of_other_server" && store.state.lastKnownUser == nil)
    }
    let failure = await #expect(throws: SessionError.self) { try await store.loggedIn(World.bob) }
    #expect(failure?.code == "session_of_other_server" && world.count(.authenticate) == 0)
    // Another process of the first server logs in while this login is under way.
    vault.content = .empty
    let login = await authority.holding(.authenticate) { Task { try await store.loggedIn(World.bob) } }
    vault.content = before
    authority.release(.authenticate)
    await #expect(throws: SessionError.self) { try await login.value }
    #expect(vault.content == before && authority.liveTokens.isEmpty && !other.liveTokens.isEmpty)
  }

  @Test("a complete logout beside a renewal of another process leaves nothing in the vault")
  func besideRenewal() async throws {
    let world = World(executor: .separateThreads)
    world.authority.setRotation(true)
    world.authority.setAccessTokens(lasting: .seconds(300))
    try await world.store.loggedIn(World.alice)
    let other = try await world.launched(executor: .separateThreads)
    // The renewal is granted before the logout, and saved before the logout erases. Then its
    // process ends, and does not see that the session is over.
    world.authority.fail(.confirm, with: .unavailable(World.offline))
    let renewal = await world.vault.holding(.replace) { Task { try await other.renew() } }
    let logout = await world.vault.holding(.erase, calls: 1) { Task { try await world.store.logOutAnyone() } }
    world.vault.release(.replace)
    _ = try? await renewal.value
    world.vault.release(.erase)
    #expect(try await logout.value == .complete)
    #expect(world.vault.content == .empty)
  }

  @Test(
    "after an answer that was lost, a logout says that the end of the session is not known", arguments: [true, false])
  func lostAnswer(byAnother: Bool) async throws {
    authority.setExchange(.spendsOld)
    try await logInAlice()
    let other = byAnother ? try await world.launched() : store
    authority.fail(.renew, with: .unavailable(Unavailability(.busy, "status 502")), calls: 1)
    await #expect(throws: SessionError.self) { try await other.renew() }
    guard case .partial(let left, let causes) = try await store.logOutAnyone() else { throw Unexpected() }
    #expect(left.notRevoked && !left.notErased && causes.contains { $0.contains("was lost") })
    #expect(vault.content == .empty)
  }

  @Test("a logout after a request that was not sent, or after a later answer, is complete", arguments: [true, false])
  func knownAnswer(isUnsent: Bool) async throws {
    authority.setExchange(.spendsOld)
    try await logInAlice()
    authority.fail(
      .renew, with: .unavailable(Unavailability(.unreachable, "no route", isUnsent: isUnsent)), calls: 1)
    await #expect(throws: SessionError.self) { try await store.renew() }
    clock.advance(by: .seconds(60))
    if !isUnsent { try await store.renew() }
    #expect(try await store.logOutAnyone() == .complete)
  }

  @Test("a token that cannot be saved after a logout is revoked")
  func unsavedAfterLogout() async throws {
    let world = World(executor: .separateThreads)
    world.authority.setExchange(.spendsOld)
    try await world.store.loggedIn(World.alice)
    let renewal = await world.authority.holding(.renew, at: .end) { Task { try await world.store.renew() } }
    _ = try await world.store.logOutAnyone()
    world.vault.failReleasing(World.diskError)
    world.authority.release(.renew, at: .end)
    await #expect(throws: SessionError.self) { try await renewal.value }
    await world.store.quiet()
    #expect(world.isEmpty)
  }

  @Test("tokens that could not be revoked are tried again at the same time, and not without bound")
  func unrevoked() async throws {
    let world = World(executor: .separateThreads)
    world.authority.fail(.revoke, with: .unavailable(World.offline))
    for _ in 1...100 {
      try await world.store.loggedIn(World.alice)
      _ = try await world.store.logOutAnyone()
      await world.store.quiet()
    }
    try await world.store.loggedIn(World.alice)
    let before = world.count(.revoke)
    let logout = await world.authority.holding(.revoke) { Task { try await world.store.logOutAnyone() } }
    // The session's own come first, one by one.
    world.authority.release(.revoke)
    guard case .partial(let left, let causes) = try await logout.value else { throw Unexpected() }
    #expect(left.notRevoked && world.count(.revoke) - before <= 65)
    #expect(causes.contains { $0.contains("more tokens could not be revoked") })
  }
}
