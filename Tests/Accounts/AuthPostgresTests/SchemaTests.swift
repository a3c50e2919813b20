import AuthAccounts
import AuthRules
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
      let present = Schema.current
      let step = "ALTER TABLE accounts ADD COLUMN mood TEXT; CREATE TABLE moods(id INTEGER PRIMARY KEY) STRICT"
      let next = present.adding(step, oldest: present.version)
      #expect(try PostgresSchema.upgrade(address, to: next))
      #expect(try !PostgresSchema.upgrade(address, to: next))
      #expect(
        try database.number("SELECT count(mood) + \(next.version) - (SELECT version FROM facts) FROM accounts") == 0)
      // It says that these programs may continue.
      #expect(answer() == nil)
      #expect(try PostgresSchema.check(address).count == 1)
      #expect(try PostgresSchema.upgrade(address, to: next.adding("SELECT 1", oldest: next.version)))
      #expect(answer() == "database_newer")
      #expect(code { try PostgresSchema.upgrade(address) } == "database_newer")
      try database.sql("UPDATE facts SET version = 0, oldest = 0")
      #expect(answer() == "database_older")
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
