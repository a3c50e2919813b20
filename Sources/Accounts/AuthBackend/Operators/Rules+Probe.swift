extension Rules {
  /// Writes to the database as much as a payment does, durably.
  ///
  /// A payment changes up to seven pages of 4 KiB. The content is new each time: SQLite does not
  /// write a page whose content stays the same.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable`, as a payment would.
  package func probe() throws(BackendError) {
    let content = try Secrets.random(count: 32) + [UInt8](repeating: 0, count: 24 << 10)
    let start = content.prefix(32)
    // Each page differs from the one that it replaces.
    let pages = (0..<content.count).map { content[$0] ^ start[$0 % 32] }
    try database.write(.rows) { (db) throws(BackendError) in try db.run(ProbeQuery.write, pages) }
  }
}

package enum ProbeQuery: String, Query {
  case write = """
    INSERT INTO probes(id, content) VALUES (1, $1) ON CONFLICT(id) DO UPDATE SET content = excluded.content
    """
}
