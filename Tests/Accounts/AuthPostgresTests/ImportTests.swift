import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import AuthServer
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
        try local.rules.setMembership(true, of: [try Username("bob")], in: try GroupName("release"), token: alice)
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
      #expect(try new.groups(of: try Username("bob"), token: token) == [try GroupName("release")])
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
      func importing(_ change: (SchemaTable, [SQLValue]) throws(BackendError) -> [SQLValue]) -> String? {
        code {
          try embedded.local.export { (rows) throws(BackendError) in
            try PostgresSchema.importing(
              { (table, take) throws(BackendError) in
                var all: [([String], [SQLValue])] = []
                try rows(table) { all.append(($0, $1)) }
                for (columns, row) in all { try take(columns, try change(table, row)) }
              }, into: address)
          }
        }
      }
      let forged = importing { (table, row) in
        table.name == "ledger_accounts" && row[0] == .integer(2) ? [row[0], .integer(1)] : row
      }
      #expect(forged == "database_error")
      let broken = importing { (table, row) throws(BackendError) in
        if table.name == "events" { throw .notFresh }
        return row
      }
      #expect(broken == "not_fresh")
      #expect(isEmpty(address))
      #expect(importing { $1 } == nil)
      #expect(importing { $1 } == "schema_not_empty")
      #expect(try PostgresSchema.check(address) == [])
    }
  }
}
