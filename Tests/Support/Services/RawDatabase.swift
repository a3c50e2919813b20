package import DatabaseFiles
import Testing

extension DatabaseFile {
  /// The rows of a statement, as text; nil where it failed.
  package func rows(_ sql: String) -> [[String]]? { try? table(sql) }

  package func number(_ sql: String) -> Int64? { rows(sql)?.first?.first.flatMap { Int64($0) } }

  /// Whether the database accepts all these statements; it runs them up to the first failure.
  package func accepts(_ sql: String) -> Bool { rows(sql) != nil }

  /// Runs any number of statements.
  package func script(_ sql: String) { #expect(throws: Never.self) { try run(sql) } }
}

extension Workspace {
  /// A plain connection to the database file, as another program would have it.
  package var raw: DatabaseFile { file(databasePath) }

  package func file(_ path: String) -> DatabaseFile {
    do { return try DatabaseFile(path, creating: true) } catch { preconditionFailure("\(error)") }
  }

  /// The hash of the first account's password, as it is stored.
  package func storedHash() throws -> String {
    try #require(raw.rows("SELECT password_hash FROM accounts WHERE id = 1")?.first?.first)
  }
}
