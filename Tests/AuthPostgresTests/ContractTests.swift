import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthDevice
import PostgresServers
import Programs
import Services
import Synchronization
import Testing

@testable import AuthCoreTesting
@testable import AuthPostgres

extension PostgresTests {
  /// Through a socket and the shipped server, the rule book on PostgreSQL keeps the contracts that
  /// it keeps on SQLite, where `make test` checks all of them.
  @Suite struct ContractTests {
    @Test(
      "the service on PostgreSQL keeps the contract of every authority",
      arguments: Effort.sample(AuthorityContract.checks, 12))
    func authority(check: AuthorityContract.Check) async throws {
      let violation = await check.run(on: try RulesDatabase.servedSubject(withSecondStep: false))
      #expect(violation == nil)
    }

    @Test(
      "the service on PostgreSQL keeps the rules of a second step of every authority",
      arguments: Effort.sample(AuthorityContract.challenges, 4))
    func secondStep(check: AuthorityContract.Check) async throws {
      let violation = await check.run(on: try RulesDatabase.servedSubject(withSecondStep: true))
      #expect(violation == nil)
    }

    @Test(
      "the service on PostgreSQL keeps the contract of every backend",
      arguments: Effort.sample(BackendContract.checks, 20))
    func backend(check: BackendContract.Check) async throws {
      // Waits are exact here: both clocks stand still, and the check moves that of the server.
      let database = try RulesDatabase(isShared: true, clockStands: true)
      let alice = try database.authority.rules.installAlice()
      let service = try ServedRules(database.authority.rules)
      let subject = BackendContract.Subject(
        backend: try service.authority(), administrator: alice, advance: { database.advance(by: $0) },
        setAvailable: { try! database.setAvailable($0) })
      let violation = await check.run(on: subject)
      withExtendedLifetime(service) {}
      #expect(violation == nil)
    }

    @Test("every statement can be prepared by PostgreSQL")
    func statements() throws {
      let database = try RulesDatabase()
      let connection = try Databases.connect(database.address)
      try connection.sql("SET search_path = auth, pg_catalog")
      for (number, text) in Self.statements.enumerated() {
        #expect(throws: Never.self, "\(text)") { try connection.sql("PREPARE tried\(number) AS \(text)") }
      }
    }

    static let statements = [
      list(AccountSelection.self), list(AccountQuery.self), list(UnknownNameQuery.self), list(SessionSelection.self),
      list(SessionQuery.self), list(LedgerQuery.self), list(EventSelection.self), list(EventQuery.self),
      list(CodeQuery.self), list(TwoStepQuery.self), list(ChallengeQuery.self), list(OperatorQuery.self),
    ].flatMap(\.self)

    private static func list<Q: Query>(_: Q.Type) -> [String] { Q.allCases.map(\.sql) }
  }
}
