import AuthCore
import AuthCoreTesting
import Testing

@Suite("Stronger keys and leases follow the current session")
struct StrongerKeyTests {
  @Test("a removed role gives no access, with any key of the session")
  func demoted() async throws {
    let world = World()
    world.authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let old = try await world.store.loggedIn(World.alice)
    world.authority.setAccount("alice", password: World.alice.password, role: .member)
    let new = try await world.store.check()
    #expect(old.isLive)
    #expect(old.user.role == .administrator)
    #expect(throws: RoleError.notAdministrator(new.user)) { try AdminSession(old) }
    #expect(try old.withLease { lease in lease.user } == new.user)
  }

  @Test("a new role gives access immediately, and the stronger key shows it")
  func promoted() async throws {
    let (world, old) = try await World.withAlice()
    world.authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let new = try await world.store.check()
    #expect(old.user.role == .member)
    #expect(try AdminSession(old).session == new)
    #expect(try AdminSession(old) == AdminSession(new))
  }

  @Test("a reauthentication makes the session fresh for each of its keys")
  func reauthenticated() async throws {
    let (world, old) = try await World.withAlice()
    world.clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(old) }
    let new = try await world.store.reauthenticated(password: World.alice.password)
    #expect(try FreshSession(old).session == new)
    #expect(try old.withLease { lease in lease.sessionToken } == new.withLease { lease in lease.sessionToken })
  }
}
