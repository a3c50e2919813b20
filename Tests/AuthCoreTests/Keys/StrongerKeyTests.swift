import AuthCore
import AuthCoreTesting
import Testing

@Suite("Stronger keys and leases follow the current session")
struct StrongerKeyTests: InWorld {
  let world = World()

  @Test("a new role gives access immediately, and a removed one none, with any key of the session")
  func roles() async throws {
    let member = try await logInAlice()
    authority.setAccount("alice", password: World.alice.password, role: .administrator)
    let administrator = try await store.check()
    #expect(member.user.role == .member)
    #expect(try AdminSession(member).session == administrator)
    #expect(try AdminSession(member) == AdminSession(administrator))
    authority.setAccount("alice", password: World.alice.password, role: .member)
    let demoted = try await store.check().user
    #expect(administrator.isLive && administrator.user.role == .administrator)
    #expect(throws: RoleError.notAdministrator(demoted)) { try AdminSession(administrator) }
    #expect(try administrator.withLease { lease in lease.user } == demoted)
  }
}
