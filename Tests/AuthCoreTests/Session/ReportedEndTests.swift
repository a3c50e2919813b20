import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("The refusal of an effect ends the session in this process")
struct ReportedEndTests {
  private let world = World()

  @Test("keys and screens close immediately, with the authority's reason and without another request")
  func closes() async throws {
    let key = try await world.store.loggedIn(World.alice)
    let screen = try #require(world.store.open(Screen.self))
    let asked = world.authority.log.count
    world.store.reportEnded(key, because: .accountDisabled)
    #expect(key.endReason == .accountDisabled)
    #expect(throws: LeaseError<Never>.ended(.accountDisabled)) { try key.withLease { _ in } }
    #expect(screen.told == ["dismiss account_disabled"])
    #expect(world.store.state == .loggedOut(.ended(.accountDisabled)))
    #expect(world.vault.content == .empty)
    #expect(world.authority.log.count == asked)
  }

  @Test("a key from before a renewal belongs to the same session, and also ends it")
  func earlierKey() async throws {
    world.authority.setRotation(true)
    let key = try await world.store.loggedIn(World.alice)
    let renewed = try await world.store.renew()
    world.store.reportEnded(key, because: .revoked)
    #expect(renewed.endReason == .revoked)
    #expect(world.vault.content == .empty)
  }

  @Test("inside a lease the keys close immediately, and the rest is done after the lease has ended")
  func insideLease() async throws {
    let key = try await world.store.loggedIn(World.alice)
    await #expect(throws: Never.self) {
      try await key.withLease { (_: borrowing SessionLease) async in
        world.store.reportEnded(key, because: .revoked)
        #expect(!key.isLive)
        #expect(world.store.state == .loggingOut)
      }
    }
    await until { world.store.state == .loggedOut(.ended(.revoked)) }
    #expect(world.vault.content == .empty)
  }

  @Test("a key of an earlier session, or of another store, changes nothing")
  func stale() async throws {
    let earlier = try await world.store.loggedIn(World.alice)
    _ = try await world.store.logOut()
    let key = try await world.store.loggedIn(World.alice)
    let other = SessionStore(
      authority: world.authority, vault: InMemoryVault(), clock: world.clock, worksOn: .callingThread)
    let foreign = try await other.loggedIn(World.alice)
    let revision = world.store.revision
    for stale in [earlier, foreign] {
      world.store.reportEnded(stale, because: .revoked)
      #expect(world.store.state == .loggedIn(key))
      #expect(key.isLive)
    }
    #expect(world.store.revision == revision)
    #expect(foreign.isLive)
    _ = try await other.logOut()
    #expect(world.vaultAgrees)
  }
}
