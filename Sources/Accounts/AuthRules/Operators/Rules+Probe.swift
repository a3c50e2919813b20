package import AuthAccounts

extension Rules {
  /// Writes to the database as much as a payment does, durably.
  ///
  /// A payment changes up to seven pages of 4 KiB. The content is new each time: SQLite does not
  /// write a page whose content stays the same.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable`, as a payment would.
  package func probe() throws(BackendError) {
    let drawn = try Secrets.random(count: 32)
    let content = (0..<(24 << 10)).map { drawn[$0 % 32] }
    try database.write(.rows) { (db) throws(BackendError) in try db.run(ProbeQuery.write, content) }
  }
}

package enum ProbeQuery: String, Query {
  case write = """
    INSERT INTO probes(id, content) VALUES (1, $1) ON CONFLICT(id) DO UPDATE SET content = excluded.content
    """
}
