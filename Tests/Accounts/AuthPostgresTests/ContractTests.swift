import AuthAccounts
import AuthAccountsTesting
import Programs
import Services
import Testing

@testable import AuthCoreTesting

extension PostgresTests {
  /// Through a socket and the shipped server, the rule book on PostgreSQL keeps the contracts that
  /// it keeps on SQLite, where `make test` checks all of them.
  @Suite struct ContractTests {
    @Test(
      "the service on PostgreSQL keeps the contract of every authority, and its rules of a second step",
      arguments: Effort.sample(AuthorityContract.checks, 12).map { ($0, false) }
        + Effort.sample(AuthorityContract.challenges, 4).map { ($0, true) })
    func authority(check: AuthorityContract.Check, hasTwoStep: Bool) async throws {
      let subject = try RulesDatabase(isShared: true).subject(hasTwoStep: hasTwoStep, isServed: true)
      let violation = await check.run(on: subject)
      #expect(violation == nil)
    }

    @Test(
      "the service on PostgreSQL keeps the contract of every backend",
      arguments: Effort.sample(BackendContract.checks, 20))
    func backend(check: BackendContract.Check) async throws {
      // Waits are exact here: both clocks stand still, and the check moves that of the server.
      let database = try RulesDatabase(isShared: true, standing: SettableClock(uptime: .seconds(1_800_000_000)))
      let violation = await check.run(on: try database.backendSubject(isServed: true))
      #expect(violation == nil)
    }

    @Test("every statement can be prepared by PostgreSQL")
    func statements() throws {
      let connection = try Databases.connect(try RulesDatabase().address)
      try connection.sql("SET search_path = auth, pg_catalog")
      for (number, text) in queryLists.flatMap(\.statements).enumerated() {
        #expect(throws: Never.self, "\(text)") { try connection.sql("PREPARE tried\(number) AS \(text)") }
      }
    }
  }
}
