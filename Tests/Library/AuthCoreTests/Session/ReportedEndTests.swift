import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("The refusal of an effect ends the session in this process", .timeLimit(.minutes(10)))
struct ReportedEndTests: InWorld {
  let world = World()

  @Test(
    "keys close immediately, with the authority's reason and without another request, even by a key before a renewal")
  func closes() async throws {
    let earlier = try await logInAlice(rotates: true)
    let key = try await store.renew()
    let asked = authority.log.count
    store.reportEnded(earlier, because: .accountDisabled)
    #expect(key.endReason == .accountDisabled)
    #expect(throws: LeaseError<Never>.ended(.accountDisabled)) { try key.withLease { _ in } }
    #expect(store.state == .loggedOut(.ended(.accountDisabled)))
    #expect(vault.content == .empty && authority.log.count == asked)
  }

  @Test("inside a lease the keys close immediately, and the rest is done after the lease has ended")
  func insideLease() async throws {
    let key = try await store.loggedIn(World.alice)
    await #expect(throws: Never.self) {
      try await key.withLease { (_: borrowing SessionLease) async in
        store.reportEnded(key, because: .revoked)
        #expect(!key.isLive && store.state == .loggingOut(.revoked))
      }
    }
    await until { store.state == .loggedOut(.ended(.revoked)) }
    #expect(vault.content == .empty)
  }

  @Test("a key of an earlier session, or of another store, changes nothing")
  func stale() async throws {
    let earlier = try await store.loggedIn(World.alice)
    _ = try await store.logOutAnyone()
    let key = try await store.loggedIn(World.alice)
    let other = SessionStore(authority: authority, vault: InMemoryVault(), clock: clock, executor: .callingThread)
    let foreign = try await other.loggedIn(World.alice)
    let revision = store.revision
    for stale in [earlier, foreign] {
      store.reportEnded(stale, because: .revoked)
      #expect(store.state == .loggedIn(key) && key.isLive)
    }
    #expect(store.revision == revision && foreign.isLive)
    _ = try await other.logOutAnyone()
    #expect(world.vaultAgrees)
  }
}
