import AuthCore
import AuthCoreTesting
import Testing

@Suite("The main features of a store")
struct MainJobTests {
  @Test("nobody is logged in before the vault answers, or when it is empty")
  func launch() async {
    let world = World()
    #expect(world.store.state == .restoring(nil))
    #expect(await world.store.restore() == .loggedOut(.neverLoggedIn))
    #expect(world.store.session == nil)
  }

  @Test("a login creates a key and saves the token, and a logout ends both")
  func loginAndLogout() async throws {
    let world = World()
    await world.store.restore()
    let key = try await world.store.loggedIn(World.alice)
    #expect(key.user.username == "alice")
    #expect(key.isLive)
    #expect(world.vault.content == .token(try #require(world.authority.liveTokens.first)))
    #expect(try await world.store.logOut() == .complete)
    #expect(!key.isLive)
    #expect(key.endReason == .userAsked)
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
    #expect(try await world.store.logOut() == .alreadyLoggedOut)
  }

  @Test("a saved session is restored in the next process")
  func restore() async throws {
    let (world, _) = try await World.withAlice()
    let next = SessionStore(
      authority: world.authority, vault: world.vault, clock: world.clock, worksOn: .callingThread)
    await next.restore()
    let key = try #require(next.session)
    #expect(key.user.username == "alice")
  }

  @Test("a switch changes the user, and a refused switch keeps the first")
  func switchUser() async throws {
    let (world, first) = try await World.withAlice()
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await world.store.switched(to: Credentials.password(username: "bob", password: Secret("no")))
    }
    #expect(world.store.session == first)
    let switched = try await world.store.switched(to: World.bob)
    #expect(switched.user.username == "bob")
    #expect(first.endReason == .switchedUser)
    #expect(world.authority.liveTokens.count == 1)
  }

  @Test("a reauthentication makes the session fresh and replaces the token")
  func reauthenticate() async throws {
    let (world, key) = try await World.withAlice()
    world.clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(key) }
    let fresh = try await world.store.reauthenticated(password: World.alice.password)
    _ = try FreshSession(fresh)
    #expect(key.isLive)
    #expect(world.authority.liveTokens.count == 1)
    #expect(world.vault.content == .token(try #require(world.authority.liveTokens.first)))
  }

  @Test("a logout waits for a lease, and no lease starts after it")
  func lease() async throws {
    let (world, key) = try await World.withAlice()
    let name = try key.withLease { lease in lease.user.username }
    #expect(name == "alice")
    await #expect(throws: LeaseError<LogoutError>.body(.insideLease)) {
      try await key.withLease { (_: borrowing SessionLease) async throws(LogoutError) in
        _ = try await world.store.logOut()
      }
    }
    try await world.store.logOut()
    #expect(throws: LeaseError<Never>.ended(.userAsked)) { try key.withLease { _ in } }
  }

  @Test("a session ends at its idle limit while nothing happens")
  func idle() async throws {
    let (world, key) = try await World.withAlice()
    var changes = world.store.transitions(bound: 256).makeAsyncIterator()
    await world.clock.waitForSleepers(1)
    world.clock.advance(by: .seconds(1800))
    while let change = await changes.next() {
      if case .loggedOut(let reason) = change.snapshot {
        #expect(reason == .ended(.expired(.idle)))
        break
      }
    }
    #expect(!key.isLive)
  }

  @Test("a login over a corrupt vault sets the evidence aside and revokes the readable token")
  func loginOverCorrupt() async throws {
    let (world, _) = try await World.withAlice()
    let old = try #require(world.authority.liveTokens.first)
    world.vault.content = .corrupt(VaultEvidence("mode 0666", hint: "Log in again.", salvaged: old))
    let next = SessionStore(
      authority: world.authority, vault: world.vault, clock: world.clock, worksOn: .callingThread)
    try await next.loggedIn(World.alice)
    #expect(!world.authority.liveTokens.contains(old))
    #expect(world.authority.liveTokens.count == 1)
    #expect(world.vault.evidence.count == 1)
  }
}
