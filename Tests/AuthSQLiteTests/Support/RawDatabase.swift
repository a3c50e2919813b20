import CSQLite
import Services
import Testing

/// A plain connection to the file under test, as another program would have it.
final class RawDatabase {
  private let handle: OpaquePointer

  init(_ path: String) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let handle else { preconditionFailure("cannot open \(path): \(code)") }
    self.handle = handle
    sqlite3_busy_timeout(handle, 20_000)
  }

  deinit {
    sqlite3_close(handle)
  }

  /// Runs a statement.
  ///
  /// - Returns: Its rows as text; nil where it failed.
  @discardableResult
  func rows(_ sql: String) -> [[String]]? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
          })
      case SQLITE_DONE: return rows
      case _: return nil
      }
    }
  }

  func number(_ sql: String) -> Int64? { rows(sql)?.first?.first.flatMap { Int64($0) } }

  /// Whether the database accepts all these statements; it runs them up to the first failure.
  func accepts(_ sql: String) -> Bool { sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK }

  /// Runs any number of statements.
  func script(_ sql: String) { #expect(accepts(sql), "\(String(cString: sqlite3_errmsg(handle)))") }
}

extension Workspace {
  /// A plain connection to the database file.
  var raw: RawDatabase { RawDatabase(databasePath) }

  /// The hash of the first account's password, as it is stored.
  func storedHash() throws -> String {
    try #require(raw.rows("SELECT password_hash FROM accounts WHERE id = 1")?.first?.first)
  }
}
