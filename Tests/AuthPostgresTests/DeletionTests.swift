import AuthBackend
import Services
import Testing

extension PostgresTests {
  @Suite struct DeletionTests {
    @Test("nothing that identifies a deleted user is left on the server")
    func erased() throws {
      let database = try RulesDatabase()
      try database.authority.registerBoth()
      let superuser = try Databases.connect(database.address)
      try database.authority.deleteBob(
        names: "SELECT 'auth.' || tablename FROM pg_tables WHERE schemaname = 'auth'",
        texts: """
          SELECT 'auth.' || table_name, column_name FROM information_schema.columns WHERE table_schema = 'auth'
            AND table_name IN ('accounts', 'sessions') AND data_type = 'text' AND column_name <> 'ended_reason'
          """,
        references: """
          SELECT r.conrelid::regclass::text, a.attname FROM pg_constraint r
            JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = r.conkey[1]
          WHERE r.confrelid = 'auth.accounts'::regclass
          """
      ) { try superuser.sql($0).map { row in row.map { $0 ?? "NULL" } } }
    }
  }
}
