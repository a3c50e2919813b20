import AuthAccounts
import AuthCore
import AuthRules
import AuthSQLite
import DatabaseFiles
import Services
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeletionTests {
  @Test("nothing that identifies a deleted user is left, and an expired session of it says so")
  func erased() async throws {
    let work = Workspace()
    let origin = SessionOrigin(terminal: "his-terminal", program: "his-shell", host: "192.0.2.77")
    let authority = LocalAuthority(
      directory: work.data, label: "bobs-laptop", origin: { origin }, clock: work.clock, cost: .least)
    try authority.registerBoth()
    let old = try authority.logIn("bob", bobPassword)
    #expect(try authority.rules.sessions(token: old.token).first?.origin == origin)
    work.clock.advance(by: .seconds(1800))
    let bob = try authority.logIn("bob", bobPassword).token
    _ = try authority.rules.rename(to: "Robert Tables", token: bob)
    _ = try authority.rules.pay(try PaymentOrder("100", to: "alice", key: "bobs-secret-plan"), token: bob)
    let raw = work.raw
    let columns = try raw.table(
      "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'")
    let references = try fill(raw, columns)
    try authority.rules.deleteAccount(token: bob)
    // Her hash, which is random, may have a short word in it.
    try raw.run("UPDATE accounts SET password_hash = '' WHERE name = 'alice'")
    for table in Set(columns.map { $0[0] }) {
      for row in try raw.table("SELECT * FROM \(table)") {
        for word in ["bob", "Robert", "his-", "192.0.2.77", "secret-plan"] {
          #expect(!row.joined(separator: " ").contains(word), "erase \(word) in \(table): \(row)")
        }
      }
    }
    // Events and ended sessions keep their rows, without what identifies the user.
    for reference in references where !["sessions", "events"].contains(reference[0]) {
      #expect(try !isUsed(reference, raw), "delete the rows of bob: \(reference)")
    }
    await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.accountDeleted))) {
      try await authority.resume(old.token)
    }
    #expect(Books(work.databasePath)?.faults == [])
  }

  @Test("the opening credit of a deleted account goes back to where it came from, by the user or an administrator")
  func credit() async throws {
    let work = Workspace()
    let authority = LocalAuthority(directory: work.data, clock: work.clock, cost: .least)
    try authority.registerBoth()
    let alice = try authority.logIn("alice", alicePassword).token
    _ = try authority.register(username: "carol", password: Secret("a garden of small stones"))
    try authority.rules.deleteAccount(token: try authority.logIn("carol", Secret("a garden of small stones")).token)
    try authority.rules.deleteAccount(try Username("bob"), token: alice)
    #expect(Books(work.databasePath)?.faults == [])
    #expect(
      try work.raw.table("SELECT balance FROM ledger_accounts ORDER BY id") == [["-10000"], ["10000"], ["0"], ["0"]])
  }

  /// Gives bob, the second account, a row in each table that refers to accounts, and a word in each
  /// text.
  ///
  /// - Returns: The table and the column of each reference to an account.
  private func fill(_ raw: DatabaseFile, _ columns: [[String]]) throws -> [[String]] {
    let texts = columns.filter { column in
      ["accounts", "sessions"].contains(column[0]) && column[2] == "TEXT" && column[1] != "ended_reason"
    }
    for text in texts {
      let owner = text[0] == "accounts" ? "id" : "account"
      try raw.run("UPDATE \(text[0]) SET \(text[1]) = coalesce(\(text[1]), 'bobs') WHERE \(owner) = 2")
    }
    let references = try raw.table(
      """
      SELECT t.name, k."from" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE k."table" = 'accounts'
      """)
    for reference in try references.filter({ try !isUsed($0, raw) }) {
      let own = columns.filter { $0[0] == reference[0] }
      let values = own.map { column in
        let word = column[1] == reference[1] ? "2" : column[2] == "INTEGER" ? "1" : "bobs"
        return "CAST('\(word)' AS \(column[2]))"
      }
      let names = own.map { $0[1] }.joined(separator: ", ")
      try raw.run("INSERT INTO \(reference[0])(\(names)) VALUES (\(values.joined(separator: ", ")))")
    }
    #expect(texts.count >= 9 && references.count >= 5)
    for reference in references { #expect(try isUsed(reference, raw)) }
    return references
  }

  private func isUsed(_ reference: [String], _ raw: DatabaseFile) throws -> Bool {
    try !raw.table("SELECT 1 FROM \(reference[0]) WHERE \(reference[1]) = 2").isEmpty
  }
}
