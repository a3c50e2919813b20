import AuthBackend
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// The tables are created, upgraded, checked and removed by an operator.
  @Suite struct SchemaTests {
    @Test("an installation can be repeated until there is an account, and the tables are as they should be")
    func install() throws {
      let database = try RulesDatabase(isEmpty: true)
      let address = try ServerAddress(database.address)
      #expect(code { try database.authority.checkForLogins() } == "schema_missing")
      try PostgresSchema.install(address)
      try PostgresSchema.install(address)
      #expect(try PostgresSchema.check(address) == [])
      let rules = database.authority.rules
      _ = try rules.install(firstAdministrator: "alice", password: alicePassword)
      #expect(code { try PostgresSchema.install(address) } == "schema_exists")
      #expect(code { try rules.install(firstAdministrator: "eve", password: alicePassword) } == "schema_exists")
      _ = try database.authority.logIn()
    }

    @Test(
      "a check lists the differences",
      arguments: [
        ("DROP INDEX sessions_live", "sessions_live"), ("ALTER TABLE codes ADD COLUMN x int", "column codes.x"),
        ("ALTER TABLE accounts ALTER role DROP NOT NULL", "column accounts.role"),
        ("DROP TRIGGER events_stay ON events", "trigger"),
        ("ALTER TABLE events DISABLE TRIGGER events_keep", "trigger"),
        (
          "CREATE OR REPLACE FUNCTION events_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'",
          "function"
        ),
        ("ALTER FUNCTION events_keep() RESET search_path", "function events_keep"),
        ("ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_check", "balance >= 0"),
        ("GRANT SELECT ON accounts TO person", "for person SELECT"),
        ("ALTER TABLE sessions OWNER TO person", "sessions (r) of person"),
        ("CREATE TABLE more(x int)", "relation more"),
      ])
    func check(change: String, words: String) throws {
      let database = try RulesDatabase()
      try database.sql(change)
      let found = try PostgresSchema.check(try ServerAddress(database.address))
      #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test("older tables are upgraded once, and newer ones are refused, unless they say that older programs may go on")
    func versions() throws {
      let database = try RulesDatabase()
      let address = try ServerAddress(database.address)
      func answer() -> String? { code { try PostgresAuthority(database.address).checkForLogins() } }
      for version in Schema.versions.dropLast() {
        let creation = PostgresSchema.creation(of: "auth", version: version)
        try SchemaSession(address).run("BEGIN; DROP SCHEMA auth CASCADE; \(creation); COMMIT")
        #expect(answer() == "database_older")
        #expect(try PostgresSchema.upgrade(address))
        #expect(try !PostgresSchema.upgrade(address))
        #expect(try PostgresSchema.check(address) == [])
        #expect(answer() == nil)
      }
      let next = Schema.version + 1
      try database.sql("UPDATE facts SET version = \(next)")
      #expect(answer() == nil)
      try database.sql("UPDATE facts SET oldest = \(next)")
      #expect(answer() == "database_newer")
      #expect(code { try PostgresSchema.upgrade(address) } == "database_newer")
    }

    @Test("tables are removed when the name of the database is repeated, and nobody else's are touched")
    func remove() throws {
      let database = try RulesDatabase()
      let address = try ServerAddress(database.address)
      func remove(_ name: String) -> String? {
        code { _ = try PostgresSchema.remove(address, confirmation: name) }
      }
      #expect(remove("postgres") == "confirmation_wrong")
      #expect(try PostgresSchema.check(address) == [])
      #expect(remove(database.name) == nil)
      #expect(isEmpty(address))
      try database.sql("CREATE SCHEMA auth; CREATE TABLE auth.users(x int)")
      #expect(remove(database.name) == "schema_foreign")
      #expect(code { try PostgresSchema.install(address) } == "schema_foreign")
      try database.sql("SELECT * FROM auth.users")
    }
  }
}
