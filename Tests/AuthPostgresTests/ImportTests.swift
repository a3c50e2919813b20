import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import PostgresServers
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// An embedded database is brought into a server.
  @Suite(.serialized) struct ImportTests {
    /// An embedded database with all that there can be, and a server for it.
    private final class Scene {
      let directory = NSTemporaryDirectory() + "import-\(UInt32.random(in: 0 ... .max))"
      let local: LocalAuthority
      let server: ThrowawayServer
      let owner: SchemaOwner
      let recoveryCodes: [RecoveryCode]
      /// The session of alice in the embedded database.
      let embedded: SessionToken
      let oneTimeCode: RecoveryCode
      let secret: TwoStepSecret

      init() throws {
        local = LocalAuthority(directory: directory, cost: .least)
        _ = try local.register(username: "alice", password: alicePassword, displayName: "Ada \\ Löwe \\N")
        _ = try local.register(username: "bob", password: bobPassword)
        _ = try local.register(username: "carol", password: ImportTests.carolPassword)
        let alice = try Self.token(local, "alice", alicePassword)
        let carol = try Self.token(local, "carol", ImportTests.carolPassword)
        _ = try local.rules.pay(try ImportTests.order("12.50", "bob", key: "one\\two"), token: alice)
        _ = try local.rules.pay(try ImportTests.order("100", "bob"), token: carol)
        try local.rules.deleteAccount(token: carol)
        embedded = alice
        recoveryCodes = try local.rules.makeRecoveryCodes(token: alice)
        oneTimeCode = try local.rules.registerOther(username: "dave", token: alice).code
        try local.rules.setRegistration(.closed, token: alice)
        // A second step that is on, one that was only begun, and the rule that asks for it.
        secret = try local.rules.beginTwoStep(token: alice)
        try local.rules.confirmTwoStep(secret.code(at: .now()), token: alice)
        _ = try local.rules.beginTwoStep(token: try Self.token(local, "bob", bobPassword))
        try local.rules.setTwoStepPolicy(.required, token: alice)
        for _ in 0..<6 { _ = try? Self.token(local, "bob", alicePassword) }
        server = try ThrowawayServer()
        let superuser = try Databases.connect(server.address("postgres"))
        try superuser.sql("CREATE ROLE keeper LOGIN CREATEROLE; CREATE ROLE person LOGIN")
        try superuser.sql("CREATE DATABASE accounts OWNER keeper")
        owner = SchemaOwner(try ServerAddress(server.address("accounts", user: "keeper")), cost: .least)
      }

      deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: directory)
      }

      func remote() throws -> PostgresBackend {
        try Databases.connect(server.address("postgres")).sql("GRANT auth_cli TO person")
        return PostgresBackend(try ServerAddress(server.address("accounts", user: "person")), cost: .least)
      }

      static func token(
        _ backend: any Backend, _ name: String, _ password: Password, answer: Password
      ) throws -> SessionToken {
        let failure = #expect(throws: BackendError.self) { _ = try token(backend, name, password) }
        guard case .challenged(let challenge)? = failure?.kind else { throw try #require(failure) }
        if let local = backend as? LocalAuthority { return try local.answer(answer, to: challenge).token }
        return try #require(backend as? PostgresBackend).answer(answer, to: challenge).token
      }

      static func token(
        _ backend: any Backend, _ name: String, _ password: Password
      ) throws -> SessionToken {
        let credentials = Credentials(username: name, password: password)
        if let local = backend as? LocalAuthority { return try local.logIn(credentials, limits: .standard).token }
        let server = try #require(backend as? PostgresBackend)
        return try server.logIn(credentials, limits: .standard).token
      }
    }

    fileprivate static let carolPassword = Password("paper lantern river orchard")

    fileprivate static func order(_ amount: String, _ payee: String, key: String? = nil) throws -> PaymentOrder {
      PaymentOrder(
        amount: try Amount(amount), payee: try Username(payee), key: try key.map { try IdempotencyKey($0) })
    }

    @Test("an import brings accounts, passwords, balances, receipts, events and codes, and numbers go on")
    func everything() throws {
      let scene = try Scene()
      let embedded = scene.embedded
      let summary = try scene.local.export { (rows) throws(BackendError) in try scene.owner.importing(rows) }
      #expect(summary.accounts == 4)
      #expect(summary.payments == 6)
      #expect(summary.withoutPassword == [])
      #expect(try scene.owner.check() == [])
      let remote = try scene.remote()
      let events = try scene.local.rules.events(.everyone, limit: 1000, token: embedded)
      // The code of the confirmation was used there, and is used here too.
      let code = scene.secret.code(at: WallTime(microseconds: WallTime.now().microseconds + 30_000_000))
      let token = try Scene.token(remote, "alice", alicePassword, answer: code)
      #expect(try remote.twoStep(token: token) == scene.local.rules.twoStep(token: embedded))
      #expect(try remote.twoStepPolicy(token: token) == .required)
      #expect(try remote.profile(token: token) == scene.local.rules.profile(token: embedded))
      #expect(
        try remote.receipts(limit: 1000, token: token) == scene.local.rules.receipts(limit: 1000, token: embedded))
      let accounts = try remote.accounts(AccountsQuery(limit: 1000), token: token)
      #expect(
        accounts.map(\.user)
          == (try scene.local.rules.accounts(AccountsQuery(limit: 1000), token: embedded)).map(\.user))
      #expect(accounts.first { $0.user.username == "bob" }?.failedAttempts == 6)
      let brought = try remote.events(.everyone, limit: 1000, token: token)
      #expect(brought.dropFirst(2).elementsEqual(events))
      #expect(try remote.registration(token: token) == .closed)
      // The wait of bob goes on.
      let waiting = #expect(throws: BackendError.self) { _ = try Scene.token(remote, "bob", bobPassword) }
      #expect(waiting?.code == "throttled")
      _ = try remote.recover(username: "dave", code: scene.oneTimeCode, password: Self.carolPassword)
      _ = try Scene.token(remote, "dave", Self.carolPassword)
      #expect(try remote.registerOther(username: "erin", token: token).user.id.rawValue == "u5")
      let taken = #expect(throws: BackendError.self) {
        _ = try remote.registerOther(username: "carol", token: token)
      }
      #expect(taken?.code == "username_taken")
      let repeated = try remote.pay(try Self.order("12.50", "bob", key: "one\\two"), token: token)
      #expect(repeated.isRepetition)
      let next = try remote.pay(try Self.order("1", "bob"), token: token)
      #expect(next.id > repeated.id)
      _ = try remote.recover(username: "alice", code: scene.recoveryCodes[0], password: Self.carolPassword)
      _ = try Scene.token(
        remote, "alice", Self.carolPassword, answer: Password(scene.recoveryCodes[1].text))
    }

    @Test("an import into a database with accounts is refused, and changes nothing")
    func notEmpty() throws {
      let scene = try Scene()
      _ = try scene.owner.install(administrator: "zoe", password: Self.carolPassword)
      let refused = #expect(throws: BackendError.self) {
        _ = try scene.local.export { (rows) throws(BackendError) in try scene.owner.importing(rows) }
      }
      #expect(refused?.code == "schema_not_empty")
      #expect(try scene.owner.check() == [])
      let remote = try scene.remote()
      let token = try Scene.token(remote, "zoe", Self.carolPassword)
      #expect(try remote.accounts(AccountsQuery(limit: 50), token: token).map(\.user.username) == ["zoe"])
    }

    @Test("an import whose money does not add up, or that breaks off, leaves no schema and no role")
    func undone() throws {
      let scene = try Scene()
      func importing(_ change: (ExportedTable, [ExportedValue]) throws(BackendError) -> [ExportedValue]) throws {
        _ = try scene.local.export { (rows) throws(BackendError) in
          try scene.owner.importing { (table, take) throws(BackendError) in
            var all: [[ExportedValue]] = []
            try rows(table) { all.append($0) }
            for row in all { try take(try change(table, row)) }
          }
        }
      }
      let forged = #expect(throws: BackendError.self) {
        try importing { (table, row) in table == .balances && row[0] == .number(2) ? [row[0], .number(1)] : row }
      }
      #expect(forged?.code == "database_error")
      let broken = #expect(throws: BackendError.self) {
        try importing { (table, row) throws(BackendError) in
          if table == .events { throw .notFresh }
          return row
        }
      }
      #expect(broken == .notFresh)
      #expect(try scene.owner.look().version == nil)
      #expect(
        try Databases.connect(scene.server.address("postgres"))
          .rows("SELECT rolname FROM pg_roles WHERE rolname LIKE 'auth\\_cli%'").isEmpty)
    }
  }
}
