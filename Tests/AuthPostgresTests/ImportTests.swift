import AuthBackend
import AuthCore
import AuthSQLite
import AuthService
import Foundation
import PostgresServers
import Services
import Testing
import TextFormat

@testable import AuthPostgres

extension PostgresTests {
  /// What was stored elsewhere is brought into the tables of the rule book.
  @Suite struct ImportTests {
    /// An embedded database with all that there can be.
    private struct Embedded {
      private let work = Workspace()
      let local: LocalAuthority
      let alice: SessionToken
      let recoveryCodes: [RecoveryCode]
      let oneTimeCode: RecoveryCode
      let secret: TwoStepSecret

      init() throws {
        local = work.authority()
        _ = try local.register(username: "alice", password: alicePassword, displayName: "Ada \\ Löwe \\N")
        for name in ["bob", "carol"] { _ = try local.register(username: name, password: bobPassword) }
        alice = try local.logIn().token
        let carol = try local.logIn("carol", bobPassword).token
        _ = try local.rules.pay(try PaymentOrder("12.50", key: "one\\two"), token: alice)
        _ = try local.rules.pay(try PaymentOrder("100"), token: carol)
        try local.rules.deleteAccount(token: carol)
        recoveryCodes = try local.rules.makeRecoveryCodes(token: alice)
        oneTimeCode = try local.rules.registerOther(username: "dave", token: alice).code
        secret = try local.turnTwoStepOn(alice)
        try local.rules.setTwoStepPolicy(.required, token: alice)
        for _ in 0..<6 { _ = try? local.logIn("bob", wrongPassword) }
      }
    }

    @Test("an embedded database is brought with passwords, balances, receipts, events and codes, and numbers go on")
    func embedded() throws {
      let embedded = try Embedded()
      let (old, alice) = (embedded.local.rules, embedded.alice)
      let database = try RulesDatabase(isEmpty: true)
      let address = try ServerAddress(database.address)
      let summary = try embedded.local.export { (rows) throws(BackendError) in
        try PostgresSchema.importing(rows, into: address)
      }
      #expect(summary.accounts == 4 && summary.payments == 6)
      #expect(try PostgresSchema.check(address) == [])
      // Session files and events name the database, or a session by its salt.
      #expect(
        try ServedDatabase(database.authority.rules.database).identity == ServedDatabase(old.database).identity,
        "session files of the database do not know the imported one")
      let authority = database.authority
      let new = authority.rules
      let events = try old.events(.everyone, Page(limit: 1000), token: alice)
      // The code of the confirmation was used there, and is used here too.
      let next = embedded.secret.code(at: WallTime(microseconds: WallTime.now().microseconds + 30_000_000))
      let token = try authority.answer(next, to: authority.challenge()).token
      #expect(try new.twoStep(token: token) == old.twoStep(token: alice))
      #expect(try new.twoStepPolicy(token: token) == .required)
      #expect(try new.profile(token: token) == old.profile(token: alice))
      #expect(try new.receipts(Page(limit: 1000), token: token) == old.receipts(Page(limit: 1000), token: alice))
      let accounts = try new.accounts(AccountsQuery(limit: 1000), token: token)
      #expect(accounts.map(\.user) == (try old.accounts(AccountsQuery(limit: 1000), token: alice)).map(\.user))
      #expect(accounts.first { $0.user.username == "bob" }?.failedAttempts == 6)
      #expect(try new.events(.everyone, Page(limit: 1000), token: token).dropFirst(2).elementsEqual(events))
      #expect(try new.registration(token: token) == .closed)
      #expect(throws: BackendError.self) { try authority.logIn("bob", bobPassword) }
      _ = try authority.recover(username: "dave", code: embedded.oneTimeCode, password: newPassword)
      _ = try authority.logIn("dave", newPassword)
      #expect(try new.registerOther(username: "erin", token: token).user.id.rawValue == "u5")
      #expect(code { try new.registerOther(username: "carol", token: token) } == "username_taken")
      let repeated = try new.pay(try PaymentOrder("12.50", key: "one\\two"), token: token)
      #expect(repeated.isRepetition)
      #expect(try new.pay(try PaymentOrder("1"), token: token).id > repeated.id)
      _ = try authority.recover(username: "alice", code: embedded.recoveryCodes[0], password: newPassword)
      let last = Secret(embedded.recoveryCodes[1].text)
      _ = try authority.answer(last, to: authority.challenge("alice", newPassword))
    }

    @Test("an import whose money does not add up, that breaks off, or that finds tables, changes nothing")
    func undone() throws {
      let embedded = try Embedded()
      let address = try ServerAddress(RulesDatabase(isEmpty: true).address)
      func importing(_ change: (ExportedTable, [SQLValue]) throws(BackendError) -> [SQLValue]) -> String? {
        code {
          try embedded.local.export { (rows) throws(BackendError) in
            try PostgresSchema.importing(
              { (table, take) throws(BackendError) in
                var all: [[SQLValue]] = []
                try rows(table) { all.append($0) }
                for row in all { try take(try change(table, row)) }
              }, into: address)
          }
        }
      }
      let forged = importing { (table, row) in
        table == .balances && row[0] == .integer(2) ? [row[0], .integer(1)] : row
      }
      #expect(forged == "database_error")
      let broken = importing { (table, row) throws(BackendError) in
        if table == .events { throw .notFresh }
        return row
      }
      #expect(broken == "not_fresh")
      #expect(isEmpty(address))
      #expect(importing { $1 } == nil)
      #expect(importing { $1 } == "schema_not_empty")
      #expect(try PostgresSchema.check(address) == [])
    }

    /// A database as programs made it that called functions in the server.
    private struct OlderDatabase {
      let database: RulesDatabase
      /// The role of the service, which owns the database.
      let role: String
      let address: ServerAddress

      init() throws {
        database = try RulesDatabase(isEmpty: true)
        role = "owner_of_\(database.name)"
        try database.sql("CREATE ROLE \(role) LOGIN; ALTER DATABASE \(database.name) OWNER TO \(role)")
        let dump = try String(contentsOfFile: Workspace.repository + "/fixtures/function-server.sql", encoding: .utf8)
        try database.sql(dump)
        address = try ServerAddress(database.server.address(database.name, user: role))
      }

      func connect(as user: String) throws -> ServerConnection {
        try Databases.connect(database.server.address(database.name, user: user))
      }

      /// Lets the service's role read what it imports.
      func permit() throws { try database.sql("GRANT auth_cli_owner TO \(role)") }

      /// All rows of the older tables.
      func rows() throws -> [[String?]] {
        let tables = try database.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'authcore'").map {
          $0[0] ?? ""
        }
        let selects = tables.map { "SELECT '\($0)', t::text FROM authcore.\($0) t" }
        return try database.sql(selects.joined(separator: " UNION ALL ") + " ORDER BY 1, 2")
      }
    }

    private static let passwordOfAlice = Secret("marble kettle window harvest")
    private static let everyone = Secret("a long passphrase of everyone")
    private static let afterRecovery = Secret("a newer passphrase after recovery")
    // Written down when the fixture was made.
    private static let secret = "66828a4853f28324c286a84e70d42aeace63d87a"
    private static let aliceCodes = ["f0g2n-7n5mj-51k9k-zx8v1-rmx2p", "w4ar9-hx3gm-h17hy-gqvn6-5ypmb"]
    private static let bobCodes = ["geya8-f29q1-fnxz4-ztxm6-gvc75", "q0ge8-xxas6-svb28-7gpv6-h148z"]
    private static let graceCode = "1z01p-0vnpj-psnxj-rcsnn-fh2w3"

    @Test("a database with functions in the server is brought, with every kind of account, and refuses older programs")
    func older() throws {
      let older = try OlderDatabase()
      try older.permit()
      let before = try older.rows()
      let summary = try PostgresSchema.importingFunctionServer(at: older.address)
      #expect(summary.accounts == 9 && summary.payments == 12, "\(summary)")
      #expect(try PostgresSchema.check(older.address) == [])
      #expect(try older.rows() == before && before.count > 40)
      let authority = PostgresAuthority(PostgresDatabase(older.address), isShared: true)
      let rules = authority.rules
      let secret = TwoStepSecret(bytes: try #require(Hex.bytes(Array(Self.secret.utf8))), username: "alice")
      let challenge = try authority.challenge("alice", Self.passwordOfAlice)
      let alice = try authority.answer(secret.code(at: .now()), to: challenge).token
      #expect(try rules.twoStepPolicy(token: alice) == .required)
      #expect(try rules.registration(token: alice) == .closed)
      #expect(try rules.twoStep(token: alice).recoveryCodes == 10)

      // Balances and receipts; the key is the payer's where the payer gave one.
      #expect(try rules.profile(token: alice).balance == 87_51)
      let receipts = try rules.receipts(Page(limit: 100), token: alice)
      #expect(receipts.map(\.payee) == ["alice", "bob", "alice"] && receipts.map(\.key) == [nil, "rent of may", nil])
      let again = try rules.pay(try PaymentOrder("12.50", key: "rent of may"), token: alice)
      #expect(again.isRepetition && again.id == receipts[1].id)
      let accounts = try rules.accounts(AccountsQuery(limit: 100), token: alice)
      #expect(
        accounts.map(\.user.username) == ["alice", "bob", "carol", "dave", "erin", "grace", "heidi", "ivan"])
      #expect(accounts.filter(\.isDisabled).map(\.user.username) == ["carol"])
      #expect(accounts.first { $0.user.username == "dave" }?.throttle == .locked)
      #expect(accounts.first { $0.user.username == "bob" }?.user.displayName == "Bob \\ Löwe 'x'")
      let events = try rules.events(.everyone, Page(limit: 1000), token: alice)
      #expect(events.contains { $0.name == "user_deleted" && $0.account == DeletedAccount.shownName })
      #expect(events.count == summary.events + 3, "\(events.map(\.name))")

      // Passwords: verified as they were stored, and stored anew at the login.
      let bob = try authority.logIn("bob", Self.afterRecovery).token
      #expect(try rules.profile(token: bob).balance == 212_49)
      for name in ["erin", "ivan"] { _ = try authority.logIn(name, Self.everyone) }
      #expect(throws: BackendError.self) { try authority.logIn("ivan", Self.passwordOfAlice) }
      let stored = try older.database.sql(
        "SELECT name FROM auth.accounts WHERE password_hash LIKE 'sha256:%' ORDER BY name")
      #expect(stored == [["#5"], ["carol"], ["dave"], ["grace"], ["heidi"]])
      _ = try authority.logIn("bob", Self.afterRecovery)
      for (name, error) in [
        ("carol", "credentials_not_accepted"), ("dave", "locked"), ("frank", "credentials_not_accepted"),
      ] { #expect(code { try authority.logIn(name, Self.everyone) } == error) }

      // Codes: a used one is used up, and one for a first password is accepted.
      for (name, typed, error) in [
        ("bob", Self.bobCodes[0], "credentials_not_accepted"), ("bob", Self.bobCodes[1], nil),
        ("grace", Self.graceCode, nil), ("alice", Self.aliceCodes[0], nil),
      ] {
        let recovery = RecoveryCode(typed: Array(typed.utf8))
        #expect(code { try authority.recover(username: name, code: recovery, password: newPassword) } == error)
      }
      let last = try authority.challenge("alice", newPassword)
      let recovered = try authority.answer(Secret(Self.aliceCodes[1]), to: last).token
      #expect(try rules.twoStep(token: recovered).recoveryCodes == 8)

      // Names and numbers go on.
      #expect(code { try rules.registerOther(username: "frank", token: recovered) } == "username_taken")
      #expect(try rules.registerOther(username: "judy", token: recovered).user.id.rawValue == "u10")

      // A program of before is refused, whoever runs it.
      try older.database.sql("UPDATE authcore.authority SET registration_closed = false")
      for user in ["caller", older.role, "postgres"] {
        let connection = try older.connect(as: user)
        #expect(throws: ServerFault.self) {
          try connection.sql(
            "SELECT * FROM authcore.register(1, 'zoe', 'zoe', '\(PasswordCost.least.prefix)aaaaaaaaaaaaaaaaaaaaa.', '\\x\(String(repeating: "00", count: 32))')"
          )
        }
      }
    }

    @Test("an import without the right to read, or of tables that do not add up, leaves all as it was")
    func olderUndone() throws {
      let older = try OlderDatabase()
      func importing() -> String? { code { try PostgresSchema.importingFunctionServer(at: older.address) } }
      #expect(importing() == "role_not_permitted")
      try older.permit()
      try older.database.sql("UPDATE authcore.ledger_accounts SET balance = 1 WHERE id = 2")
      let before = try older.rows()
      #expect(importing() == "database_error")
      try older.database.sql("CREATE VIEW authcore.another AS SELECT 1")
      #expect(importing() == "schema_foreign")
      try older.database.sql("DROP VIEW authcore.another")
      #expect(try older.rows() == before)
      #expect(isEmpty(older.address))
      // Programs of before go on.
      #expect(try !older.connect(as: "caller").sql("SELECT code FROM authcore.check_name(1, 'zoe')").isEmpty)
    }
  }
}
