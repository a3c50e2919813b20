import AuthBackend
import AuthCore
import AuthDevice
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
    private static let newPassword = Secret("paper lantern river orchard")

    /// An embedded database with all that there can be.
    private struct Embedded {
      private let folder = ShortFolder()
      let local: LocalAuthority
      let alice: SessionToken
      let recoveryCodes: [RecoveryCode]
      let oneTimeCode: RecoveryCode
      let secret: TwoStepSecret

      init() throws {
        local = LocalAuthority(directory: folder.path + "/data", cost: .least)
        _ = try local.register(username: "alice", password: alicePassword, displayName: "Ada \\ Löwe \\N")
        _ = try local.register(username: "bob", password: bobPassword)
        _ = try local.register(username: "carol", password: newPassword)
        alice = try local.token("alice", alicePassword)
        let carol = try local.token("carol", newPassword)
        _ = try local.rules.pay(try local.order("12.50", to: "bob", key: "one\\two"), token: alice)
        _ = try local.rules.pay(try local.order("100", to: "bob"), token: carol)
        try local.rules.deleteAccount(token: carol)
        recoveryCodes = try local.rules.makeRecoveryCodes(token: alice)
        oneTimeCode = try local.rules.registerOther(username: "dave", token: alice).code
        secret = try local.rules.beginTwoStep(token: alice)
        try local.rules.confirmTwoStep(secret.code(at: .now()), token: alice)
        try local.rules.setTwoStepPolicy(.required, token: alice)
        for _ in 0..<6 { _ = try? local.token("bob", alicePassword) }
      }
    }

    @Test("an embedded database is brought with passwords, balances, receipts, events and codes, and numbers go on")
    func embedded() throws {
      let embedded = try Embedded()
      let (local, old) = (embedded.local, embedded.alice)
      let database = try RulesDatabase(isEmpty: true)
      let address = try ServerAddress(database.address)
      let summary = try local.export { (rows) throws(BackendError) in
        try PostgresSchema.importing(rows, into: address)
      }
      #expect(summary.accounts == 4 && summary.payments == 6)
      #expect(try PostgresSchema.check(address) == [])
      // Session files and events name the database, or a session by its salt.
      #expect(
        try ServedDatabase(database.database).identity == ServedDatabase(local.rules.database).identity,
        "session files of the database do not know the imported one")
      let authority = database.authority
      let events = try local.rules.events(.everyone, Page(limit: 1000), token: old)
      // The code of the confirmation was used there, and is used here too.
      let next = embedded.secret.code(at: WallTime(microseconds: WallTime.now().microseconds + 30_000_000))
      let token = try authority.token("alice", alicePassword, answer: next)
      #expect(try authority.rules.twoStep(token: token) == local.rules.twoStep(token: old))
      #expect(try authority.rules.twoStepPolicy(token: token) == .required)
      #expect(try authority.rules.profile(token: token) == local.rules.profile(token: old))
      #expect(
        try authority.rules.receipts(Page(limit: 1000), token: token)
          == local.rules.receipts(Page(limit: 1000), token: old))
      let accounts = try authority.rules.accounts(AccountsQuery(limit: 1000), token: token)
      #expect(accounts.map(\.user) == (try local.rules.accounts(AccountsQuery(limit: 1000), token: old)).map(\.user))
      #expect(accounts.first { $0.user.username == "bob" }?.failedAttempts == 6)
      let brought = try authority.rules.events(.everyone, Page(limit: 1000), token: token)
      #expect(brought.dropFirst(2).elementsEqual(events))
      #expect(try authority.rules.registration(token: token) == .closed)
      #expect(throws: BackendError.self) { _ = try authority.token("bob", bobPassword) }
      _ = try authority.recover(username: "dave", code: embedded.oneTimeCode, password: Self.newPassword)
      _ = try authority.token("dave", Self.newPassword)
      #expect(try authority.rules.registerOther(username: "erin", token: token).user.id.rawValue == "u5")
      #expect(code { try authority.rules.registerOther(username: "carol", token: token) } == "username_taken")
      let repeated = try authority.rules.pay(try authority.order("12.50", to: "bob", key: "one\\two"), token: token)
      #expect(repeated.isRepetition)
      #expect(try authority.rules.pay(try authority.order("1", to: "bob"), token: token).id > repeated.id)
      _ = try authority.recover(username: "alice", code: embedded.recoveryCodes[0], password: Self.newPassword)
      _ = try authority.token("alice", Self.newPassword, answer: Secret(embedded.recoveryCodes[1].text))
    }

    @Test("an import whose money does not add up, that breaks off, or that finds tables, changes nothing")
    func undone() throws {
      let embedded = try Embedded()
      let database = try RulesDatabase(isEmpty: true)
      let address = try ServerAddress(database.address)
      func importing(_ change: (ExportedTable, [SQLValue]) throws(BackendError) -> [SQLValue]) throws {
        _ = try embedded.local.export { (rows) throws(BackendError) in
          let changed: ExportedRows = { (table, take) throws(BackendError) in
            var all: [[SQLValue]] = []
            try rows(table) { all.append($0) }
            for row in all { try take(try change(table, row)) }
          }
          return try PostgresSchema.importing(changed, into: address)
        }
      }
      let forged = code {
        try importing { (table, row) in table == .balances && row[0] == .integer(2) ? [row[0], .integer(1)] : row }
      }
      #expect(forged == "database_error")
      let broken = code {
        try importing { (table, row) throws(BackendError) in
          if table == .events { throw .notFresh }
          return row
        }
      }
      #expect(broken == "not_fresh")
      #expect(isEmpty(address))
      try importing { $1 }
      #expect(code { try importing { $1 } } == "schema_not_empty")
      #expect(try PostgresSchema.check(address) == [])
    }

    /// A database as programs made it that called functions in the server.
    private struct OlderDatabase {
      /// The name of the database, and of the role that owns it.
      let name = "older\(UInt32.random(in: 0 ... .max))"
      let server: ThrowawayServer
      let address: ServerAddress

      /// The roles of the older programs and of a user of them; all databases of a server share
      /// them.
      private static let roles = Result {
        try Databases.connect(Databases.shared().server.address("postgres")).sql(
          "CREATE ROLE auth_cli_owner; CREATE ROLE auth_cli; CREATE ROLE caller LOGIN IN ROLE auth_cli")
      }

      init() throws {
        server = try Databases.shared().server
        try Self.roles.get()
        let superuser = try Databases.connect(server.address("postgres"))
        try superuser.sql("CREATE ROLE \(name) LOGIN")
        try superuser.sql("CREATE DATABASE \(name) OWNER \(name)")
        let dump = try String(contentsOfFile: Workspace.repository + "/fixtures/function-server.sql", encoding: .utf8)
        try Databases.connect(server.address(name)).sql(dump)
        address = try ServerAddress(server.address(name, user: name))
      }

      func superuser<Result>(_ body: (ServerConnection) throws -> Result) throws -> Result {
        try body(try Databases.connect(server.address(name)))
      }

      /// Lets the service's role read what it imports.
      func permit() throws { try superuser { try $0.sql("GRANT auth_cli_owner TO \(name)") } }

      /// All rows of the older tables.
      func rows() throws -> [[String?]] {
        try superuser {
          let tables = try $0.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'authcore' ORDER BY 1")
          return try tables.map { (row) in "SELECT t::text FROM authcore.\(row[0] ?? "") t ORDER BY 1" }
            .flatMap { try $0.isEmpty ? [] : Databases.connect(server.address(name)).rows($0) }
        }
      }
    }

    private static let everyone = Secret("a long passphrase of everyone")
    private static let afterRecovery = Secret("a newer passphrase after recovery")
    // Written down when the fixture was made.
    private static let secret = "66828a4853f28324c286a84e70d42aeace63d87a"
    private static let aliceCodes = ["f0g2n-7n5mj-51k9k-zx8v1-rmx2p", "w4ar9-hx3gm-h17hy-gqvn6-5ypmb"]
    private static let bobCodes = ["geya8-f29q1-fnxz4-ztxm6-gvc75", "q0ge8-xxas6-svb28-7gpv6-h148z"]
    private static let graceCode = "1z01p-0vnpj-psnxj-rcsnn-fh2w3"

    @Test("a database with functions in the server is brought: every kind of account, password, code and payment")
    func older() throws {
      let older = try OlderDatabase()
      try older.permit()
      let before = try older.rows()
      let summary = try PostgresSchema.importingFunctionServer(at: older.address)
      #expect(summary.accounts == 9 && summary.payments == 12, "\(summary)")
      #expect(try PostgresSchema.check(older.address) == [])
      #expect(try older.rows() == before && before.count > 40)
      let authority = PostgresAuthority(
        PostgresDatabase(older.address), isShared: true)
      let secret = TwoStepSecret(bytes: try #require(Hex.bytes(Array(Self.secret.utf8))), username: "alice")
      let alice = try authority.token("alice", alicePassword, answer: secret.code(at: .now()))
      #expect(try authority.rules.twoStepPolicy(token: alice) == .required)
      #expect(try authority.rules.registration(token: alice) == .closed)
      #expect(try authority.rules.twoStep(token: alice).recoveryCodes == 10)

      // Balances and receipts; the key is the payer's where the payer gave one.
      #expect(try authority.rules.profile(token: alice).balance == 87_51)
      let receipts = try authority.rules.receipts(Page(limit: 100), token: alice)
      #expect(receipts.map(\.payee) == ["alice", "bob", "alice"] && receipts.map(\.key) == [nil, "rent of may", nil])
      let again = try authority.rules.pay(try authority.order("12.50", to: "bob", key: "rent of may"), token: alice)
      #expect(again.isRepetition && again.id == receipts[1].id)
      let accounts = try authority.rules.accounts(AccountsQuery(limit: 100), token: alice)
      #expect(
        accounts.map(\.user.username) == ["alice", "bob", "carol", "dave", "erin", "grace", "heidi", "ivan"])
      #expect(accounts.filter(\.isDisabled).map(\.user.username) == ["carol"])
      #expect(accounts.first { $0.user.username == "dave" }?.throttle == .locked)
      #expect(accounts.first { $0.user.username == "bob" }?.user.displayName == "Bob \\ Löwe 'x'")
      let events = try authority.rules.events(.everyone, Page(limit: 1000), token: alice)
      #expect(events.contains { $0.name == "user_deleted" && $0.account == DeletedAccount.shownName })
      #expect(events.count == summary.events + 3, "\(events.map(\.name))")

      // Passwords: verified as they were stored, and stored anew at the login.
      let bob = try authority.token("bob", Self.afterRecovery)
      #expect(try authority.rules.profile(token: bob).balance == 212_49)
      _ = try authority.token("erin", Self.everyone)
      _ = try authority.token("ivan", Self.everyone)
      #expect(throws: BackendError.self) { _ = try authority.token("ivan", alicePassword) }
      let stored = try older.superuser {
        try $0.rows("SELECT name FROM auth.accounts WHERE password_hash LIKE 'sha256:%' ORDER BY name").map { $0[0] }
      }
      #expect(stored == ["#5", "carol", "dave", "grace", "heidi"])
      _ = try authority.token("bob", Self.afterRecovery)
      for (name, error) in [
        ("carol", "credentials_not_accepted"), ("dave", "locked"), ("frank", "credentials_not_accepted"),
      ] { #expect(code { try authority.token(name, Self.everyone) } == error) }

      // Codes: a used one is used up, and one for a first password is accepted.
      for (name, typed, error) in [
        ("bob", Self.bobCodes[0], "credentials_not_accepted"), ("bob", Self.bobCodes[1], nil),
        ("grace", Self.graceCode, nil), ("alice", Self.aliceCodes[0], nil),
      ] {
        let recovery = RecoveryCode(typed: Array(typed.utf8))
        #expect(code { try authority.recover(username: name, code: recovery, password: Self.newPassword) } == error)
      }
      let recovered = try authority.token("alice", Self.newPassword, answer: Secret(Self.aliceCodes[1]))
      #expect(try authority.rules.twoStep(token: recovered).recoveryCodes == 8)

      // Names and numbers go on.
      #expect(code { try authority.rules.registerOther(username: "frank", token: recovered) } == "username_taken")
      #expect(try authority.rules.registerOther(username: "judy", token: recovered).user.id.rawValue == "u10")
    }

    @Test("after that, a program of before is refused, whoever runs it")
    func revoked() throws {
      let older = try OlderDatabase()
      try older.permit()
      try older.superuser { try $0.sql("UPDATE authcore.authority SET registration_closed = false") }
      let person = try Databases.connect(older.server.address(older.name, user: "caller"))
      #expect(try person.rows("SELECT code FROM authcore.check_name(1, 'zoe')").isEmpty == false)
      _ = try PostgresSchema.importingFunctionServer(at: older.address)
      for user in ["caller", older.name, "postgres"] {
        let connection = try Databases.connect(older.server.address(older.name, user: user))
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
      try older.superuser { try $0.sql("UPDATE authcore.ledger_accounts SET balance = 1 WHERE id = 2") }
      let before = try older.rows()
      #expect(importing() == "database_error")
      try older.superuser { try $0.sql("CREATE VIEW authcore.another AS SELECT 1") }
      #expect(importing() == "schema_foreign")
      try older.superuser { try $0.sql("DROP VIEW authcore.another") }
      #expect(try older.rows() == before)
      #expect(isEmpty(older.address))
      let person = try Databases.connect(older.server.address(older.name, user: "caller"))
      #expect(try person.rows("SELECT code FROM authcore.check_name(1, 'zoe')").isEmpty == false)
    }
  }
}

extension Backend {
  /// Logs in, answering with this when a code is asked for.
  func token(_ name: String, _ password: Secret, answer code: Secret? = nil) throws(BackendError) -> SessionToken {
    do throws(BackendError) {
      return try logIn(Credentials.password(username: name, password: password), limits: .standard).token
    } catch {
      guard case .challenged(let challenge) = error.kind, let code else { throw error }
      return try answer(code, to: challenge).token
    }
  }
}
