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
      // A row may refer to rows that do not exist.
      try superuser.sql("SET session_replication_role = replica")
      try database.authority.deleteBob(
        columns: """
          SELECT 'auth.' || table_name, column_name, data_type FROM information_schema.columns
          WHERE table_schema = 'auth'
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
