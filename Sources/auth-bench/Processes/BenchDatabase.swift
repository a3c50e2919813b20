import CSQLite

/// A database without the authority around it: for populations, for checks afterwards, and as a
/// baseline.
final class BenchDatabase {
  private let handle: OpaquePointer

  init(path: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let handle
    else { throw BenchError("\(path) cannot be opened") }
    self.handle = handle
    sqlite3_busy_timeout(handle, 60_000)
  }

  deinit {
    sqlite3_close(handle)
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw fault }
  }

  /// The one number that a query gives.
  func number(_ sql: String) throws -> Int64 {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw fault }
    return sqlite3_column_int64(statement, 0)
  }

  /// The one text that a query gives.
  func text(_ sql: String) throws -> String {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { throw fault }
    return String(cString: text)
  }

  /// Statements for a loop; the caller finalises them.
  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw fault }
    return statement
  }

  private var fault: BenchError { BenchError(String(cString: sqlite3_errmsg(handle))) }
}
