import CSQLite

/// The database of a home, read and changed as another program would.
package final class DatabaseFile {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private var handle: OpaquePointer?

  /// Opens a file; what another program locks is awaited.
  package init(_ path: String, creating: Bool = false) throws(Failure) {
    let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw failure(path) }
    sqlite3_busy_timeout(handle, 20_000)
  }

  deinit { sqlite3_close(handle) }

  /// Runs statements, and returns their rows as text.
  @discardableResult
  package func run(_ statements: String) throws(Failure) -> [String] {
    try table(statements).map { $0.joined(separator: "|") }
  }

  /// Runs statements, and returns the columns of their rows as text.
  package func table(_ statements: String) throws(Failure) -> [[String]] {
    var rows: [[String]] = []
    var rest = Array(statements.utf8CString)
    while rest.count > 1 {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      let (code, length) = rest.withUnsafeBufferPointer { text in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v2(handle, text.baseAddress, -1, &statement, &tail)
        return (code, tail.flatMap { end in text.baseAddress.map { end - $0 } } ?? text.count - 1)
      }
      guard code == SQLITE_OK else { throw failure(statements) }
      rest.removeFirst(length)
      // Nothing but blanks.
      guard statement != nil else { continue }
      var step = sqlite3_step(statement)
      while step == SQLITE_ROW {
        rows.append(row(of: statement))
        step = sqlite3_step(statement)
      }
      guard step == SQLITE_DONE else { throw failure(statements) }
    }
    return rows
  }

  private func row(of statement: OpaquePointer?) -> [String] {
    (0..<sqlite3_column_count(statement)).map { column in
      sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
    }
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "\(what): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
