import AuthBackendTesting
import AuthCore
import AuthCoreTesting
import PostgresServers
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct ContractTests {
    @Test("the PostgreSQL backend keeps the contract of every authority", arguments: AuthorityContract.checks)
    func authority(check: AuthorityContract.Check) async throws {
      let database = try Databases.shared.make()
      let backend = try database.backend()
      try backend.registerBoth()
      let subject = AuthorityContract.Subject(
        authority: backend, first: Credentials(username: "alice", password: alicePassword),
        second: Credentials(username: "bob", password: bobPassword),
        advance: { try! database.advance(by: $0) },
        setAvailable: { isAvailable in
          try! Databases.connect(database.server.address("postgres")).sql(
            "ALTER DATABASE \(database.name) ALLOW_CONNECTIONS \(isAvailable); SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)'"
          )
        })
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }

    @Test("the PostgreSQL backend keeps the contract of every backend", arguments: BackendContract.checks)
    func backend(check: BackendContract.Check) async throws {
      let database = try Databases.shared.make()
      // Waits are exact here: both clocks stand still, and the check moves that of the server.
      try database.freeze(at: 1_800_000_000_000_000_000)
      let subject = BackendContract.Subject(
        backend: try database.backend(clock: StandingClock(0)), advance: { try! database.advance(by: $0) },
        setAvailable: { isAvailable in
          try! Databases.connect(database.server.address("postgres")).sql(
            "ALTER DATABASE \(database.name) ALLOW_CONNECTIONS \(isAvailable); SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)'"
          )
        })
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }
  }
}
