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
    let code = withUnsafeMutablePointer(to: &rows) {
      sqlite3_exec(
        handle, statements,
        { rows, count, values, _ in
          let row = (0..<Int(count)).map { column in values?[column].map { String(cString: $0) } ?? "NULL" }
          rows?.assumingMemoryBound(to: [[String]].self).pointee.append(row)
          return 0
        }, $0, nil)
    }
    guard code == SQLITE_OK else { throw failure(statements) }
    return rows
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "\(what): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
