import AuthBackend
import AuthCore
import AuthSQLite
import Services
import Testing

@Suite struct DeletionTests {
  @Test("nothing that identifies a deleted user is left, and an expired session of it says so")
  func erased() async throws {
    let work = Workspace()
    let authority = LocalAuthority(
      directory: work.data, label: "bobs-laptop",
      origin: { SessionOrigin(terminal: "pts/7", program: "his-shell", host: "192.0.2.77") }, clock: work.clock,
      cost: .least)
    try authority.registerBoth()
    let old = try authority.logIn("bob", bobPassword)
    work.clock.advance(by: .seconds(1800))
    let bob = try authority.logIn("bob", bobPassword)
    _ = try authority.rules.rename(to: "Robert Tables", token: bob.token)
    _ = try authority.rules.makeRecoveryCodes(token: bob.token)
    _ = try authority.rules.beginTwoStep(token: bob.token)
    let summary = try #require(try authority.rules.sessions(token: bob.token).first)
    #expect(summary.origin == SessionOrigin(terminal: "pts/7", program: "his-shell", host: "192.0.2.77"))
    let order = try authority.order("100", to: "alice", key: "bobs-secret-plan")
    _ = try authority.rules.pay(order, token: bob.token)
    work.raw.script("INSERT INTO challenges VALUES (x'00', 2, '', NULL, NULL, NULL, NULL, 3, x'00', 0)")
    try fillText(in: work.raw)
    let references = try references(in: work.raw)
    #expect(references.count >= 5)
    for reference in references {
      #expect(work.raw.number("SELECT count(*) \(reference)") != 0, "give bob a row: \(reference)")
    }
    try authority.rules.deleteAccount(token: bob.token)
    for token in [old.token, bob.token] {
      await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.accountDeleted))) {
        try await authority.resume(token)
      }
    }
    let tables = try #require(work.raw.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")).map { $0[0] }
    for table in tables {
      let text = try #require(work.raw.rows("SELECT * FROM \(table)")).flatMap(\.self).joined(separator: " ")
      for word in ["bob", "Robert", "pts/7", "192.0.2.77", "his-shell", "secret-plan"] {
        #expect(!text.contains(word), "erase \(word) in \(table): \(text)")
      }
    }
    // Payments, events and ended sessions keep their rows, without what identifies the user.
    for reference in references where !reference.hasPrefix("FROM sessions") && !reference.hasPrefix("FROM events") {
      #expect(work.raw.number("SELECT count(*) \(reference)") == 0, "delete \(reference)")
    }
    work.expectBalancedBooks()
  }

  /// Writes a word of bob into each text of his account and sessions that the test left empty.
  private func fillText(in raw: RawDatabase) throws {
    let columns = try #require(
      raw.rows(
        """
        SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.name IN ('accounts', 'sessions') AND c.type = 'TEXT' AND c.name <> 'ended_reason'
        """))
    #expect(columns.count >= 9)
    for column in columns {
      let owner = column[0] == "accounts" ? "id" : "account"
      #expect(raw.script("UPDATE \(column[0]) SET \(column[1]) = coalesce(\(column[1]), 'bobs') WHERE \(owner) = 2"))
    }
  }

  /// The rows of bob in each table that refers to accounts.
  private func references(in raw: RawDatabase) throws -> [String] {
    try #require(
      raw.rows(
        """
        SELECT t.name, k."from" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
        WHERE t.type = 'table' AND k."table" = 'accounts'
        """)
    ).map { "FROM \($0[0]) WHERE \($0[1]) = 2" }
  }
}
