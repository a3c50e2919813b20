import AuthCore
import AuthCoreTesting
import Testing

@Suite("Stronger keys and leases follow the current session")
struct StrongerKeyTests: InWorld {
  let world = World()

  @Test("a removed role gives no access, with any key of the session")
  func demoted() async throws {
    authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let old = try await store.loggedIn(World.alice)
    authority.setAccount("alice", password: World.alice.password, role: .member)
    let new = try await store.check()
    #expect(old.isLive)
    #expect(old.user.role == .administrator)
    #expect(throws: RoleError.notAdministrator(new.user)) { try AdminSession(old) }
    #expect(try old.withLease { lease in lease.user } == new.user)
  }

  @Test("a new role gives access immediately, and the stronger key shows it")
  func promoted() async throws {
    let old = try await logInAlice()
    authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let new = try await store.check()
    #expect(old.user.role == .member)
    #expect(try AdminSession(old).session == new)
    #expect(try AdminSession(old) == AdminSession(new))
  }

  @Test("a reauthentication makes the session fresh for each of its keys")
  func reauthenticated() async throws {
    let old = try await logInAlice()
    clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(old) }
    let new = try await store.reauthenticated(password: World.alice.password)
    #expect(try FreshSession(old).session == new)
    #expect(try old.withLease { lease in lease.sessionToken } == new.withLease { lease in lease.sessionToken })
  }
}
