import AuthBackend
import AuthCore
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct DeletionTests {
    @Test("nothing that identifies a deleted user is left on the server")
    func erased() throws {
      let database = try RulesDatabase()
      let authority = database.authority
      _ = try database.registerBoth()
      let bob = try authority.token("bob", bobPassword)
      let rules = authority.rules
      _ = try rules.rename(to: "Robert Tables", token: bob)
      _ = try rules.makeRecoveryCodes(token: bob)
      let secret = try rules.beginTwoStep(token: bob)
      try rules.confirmTwoStep(secret.code(at: .now()), token: bob)
      _ = try authority.challenge("bob", bobPassword)
      _ = try rules.pay(try authority.order("100", to: "alice", key: "bobs-secret-plan"), token: bob)
      try fillText(database)
      let references = try database.rows(
        """
        SELECT r.conrelid::regclass::text, a.attname FROM pg_constraint r
          JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = r.conkey[1]
        WHERE r.confrelid = 'auth.accounts'::regclass
        """
      ).map { ($0[0] ?? "", "FROM \($0[0] ?? "") WHERE \($0[1] ?? "") = 2") }
      #expect(references.count >= 5)
      for (_, rows) in references {
        #expect(try !database.rows("SELECT 1 \(rows)").isEmpty, "give bob a row: \(rows)")
      }
      try rules.deleteAccount(token: bob)
      let tables = try database.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'auth'").compactMap { $0[0] }
      #expect(tables.count > 10)
      for table in tables {
        let text = try database.rows("SELECT to_jsonb(t)::text FROM auth.\(table) t").compactMap { $0[0] }
        for row in text where row.contains("bob") || row.contains("Robert") {
          Issue.record("erase it in \(table): \(row)")
        }
      }
      // Events and ended sessions keep their rows, without what identifies the user.
      let kept: Set = ["auth.events", "auth.sessions"]
      for (table, rows) in references where !kept.contains(table) {
        #expect(try database.rows("SELECT 1 \(rows)").isEmpty, "delete \(rows)")
      }
    }

    /// Writes a word of bob into each text of his account and sessions that the test left empty.
    private func fillText(_ database: RulesDatabase) throws {
      let columns = try database.rows(
        """
        SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'auth'
          AND table_name IN ('accounts', 'sessions') AND data_type = 'text' AND column_name <> 'ended_reason'
        """)
      #expect(columns.count >= 9)
      for column in columns {
        let (table, name) = (column[0] ?? "", column[1] ?? "")
        try database.sql(
          """
          UPDATE \(table) SET \(name) = coalesce(\(name), 'bobs')
          WHERE \(table == "accounts" ? "id" : "account") = 2
          """)
      }
    }
  }
}
