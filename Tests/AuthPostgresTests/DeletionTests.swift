import AuthBackend
import AuthCore
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct DeletionTests {
    @Test("nothing that identifies a deleted user is left on the server")
    func erased() throws {
      let database = try RulesDatabase()
      let authority = PostgresAuthority(
        PostgresDatabase(try ServerAddress(database.address)), label: "bobs-laptop",
        origin: { SessionOrigin(terminal: "bobs-terminal", program: "bobs-shell", host: "bobs-host") })
      _ = try authority.register(username: "alice", password: alicePassword)
      _ = try authority.register(username: "bob", password: bobPassword)
      let bob = try authority.token("bob", bobPassword)
      let backend = authority.rules
      _ = try backend.rename(to: "Robert Tables", token: bob)
      _ = try backend.makeRecoveryCodes(token: bob)
      let secret = try backend.beginTwoStep(token: bob)
      try backend.confirmTwoStep(secret.code(at: .now()), token: bob)
      #expect(throws: BackendError.self) { _ = try authority.token("bob", bobPassword) }
      let order = PaymentOrder(
        amount: try Amount("100"), payee: try Username("alice"), key: try IdempotencyKey("bobs-secret-plan"))
      _ = try backend.pay(order, token: bob)

      do {
        let superuser = try Databases.connect(database.address)
        try fillText(superuser)
        let references = try superuser.rows(
          """
          SELECT r.conrelid::regclass::text, a.attname FROM pg_constraint r
            JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = r.conkey[1]
          WHERE r.confrelid = 'auth.accounts'::regclass
          """
        ).map { ($0[0] ?? "", "FROM \($0[0] ?? "") WHERE \($0[1] ?? "") = 2") }
        #expect(references.count >= 5)
        for (_, rows) in references {
          #expect(try superuser.rows("SELECT 1 \(rows)").isEmpty == false, "give bob a row: \(rows)")
        }
        try backend.deleteAccount(token: bob)
        let tables = try superuser.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'auth'").compactMap {
          $0[0]
        }
        #expect(tables.count > 10)
        for table in tables {
          let text = try superuser.rows("SELECT to_jsonb(t)::text FROM auth.\(table) t").compactMap { $0[0] }
          for row in text where row.contains("bob") || row.contains("Robert") {
            Issue.record("erase it in \(table): \(row)")
          }
        }
        // Events and ended sessions keep their rows, without what identifies the user.
        let kept: Set = ["auth.events", "auth.sessions"]
        for (table, rows) in references where !kept.contains(table) {
          #expect(try superuser.rows("SELECT 1 \(rows)").isEmpty, "delete \(rows)")
        }
      }
    }

    /// Writes a word of bob into each text of his account and sessions that the test left empty.
    private func fillText(_ superuser: ServerConnection) throws {
      let columns = try superuser.rows(
        """
        SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'auth'
          AND table_name IN ('accounts', 'sessions') AND data_type = 'text' AND column_name <> 'ended_reason'
        """)
      #expect(columns.count >= 9)
      for column in columns {
        let (table, name) = (column[0] ?? "", column[1] ?? "")
        try superuser.sql(
          """
          UPDATE auth.\(table) SET \(name) = coalesce(\(name), 'bobs')
          WHERE \(table == "accounts" ? "id" : "account") = 2
          """)
      }
    }
  }
}
