package import AuthBackend

extension LocalAuthority {
  /// Runs `body` with all that another backend can take over, from one unchanging state.
  ///
  /// Other processes cannot write meanwhile.
  ///
  /// - Parameter body: Gets a function that hands over the rows of a table.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and ``BackendError`` of kind `unavailable`.
  package func export<Result: Sendable>(
    _ body: (ExportedRows) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try database.onConnection(nil) { (db) throws(BackendError) in
      try body { (table, take) throws(BackendError) in
        try db.stepping(table.sql, []) { (columns) throws(BackendError) in
          try take(columns.values)
          return true
        }
      }
    }
  }
}
