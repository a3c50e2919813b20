package import AuthAccounts
package import AuthRules

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
        guard let left = table.leftBehind else { return }
        let columns: [String] = try db.all(ColumnQuery.names, table.name).filter { !left.contains($0) }
        let rows = "SELECT \(columns.joined(separator: ", ")) FROM \(table.name)"
        try db.stepping(rows, []) { (row) throws(BackendError) in
          try take(columns, row.values)
          return true
        }
      }
    }
  }
}

private enum ColumnQuery: String, Query {
  case names = "SELECT name FROM pragma_table_info($1) ORDER BY cid"
}
