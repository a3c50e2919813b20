package import AuthAccounts
package import AuthRules
import TextFormat

extension PostgresSchema {
  /// Creates the tables, and fills them with what an embedded database exports.
  ///
  /// Sessions stay behind, because a token belongs to the database that issued it. A wait after
  /// wrong passwords begins again in full. The registration is closed: in the embedded database it
  /// is open until somebody closes it.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_not_empty`) when there are tables.
  package static func importing(
    _ export: ExportedRows, into address: ServerAddress
  ) throws(BackendError) -> ImportSummary {
    let session = try SchemaSession(address)
    guard try !session.isInstalled() else { throw .refused(.schemaNotEmpty, session.database.escaped) }
    // The account that pays the opening credits is imported too.
    try session.run("BEGIN; \(creation(of: name)); DELETE FROM ledger_accounts;")
    for table in Schema.tables {
      var statements: [ServerConnection.Statement] = []
      try export(table) { (columns, row) throws(BackendError) in
        let names = columns.joined(separator: ", ")
        let places = (1...row.count).map { "$\($0)" }.joined(separator: ", ")
        let sql =
          table.name == "authority"
          ? "UPDATE authority SET (\(names)) = ROW(\(places))"
          : "INSERT INTO \(table.name)(\(names)) VALUES (\(places))"
        statements.append((sql, row))
        if statements.count == 1000 { try session.run(&statements) }
      }
      try session.run(&statements)
    }
    return try complete(session)
  }

  /// Checks that the money adds up, sets the next numbers, and commits.
  private static func complete(_ session: SchemaSession) throws(BackendError) -> ImportSummary {
    let lastNumbers = [("accounts", "0"), ("transfers", "(SELECT receipts_through FROM authority)"), ("events", "0")]
    let next = lastNumbers.map { table, last in
      "SELECT setval(pg_get_serial_sequence('\(table)', 'id'), greatest(max(id), \(last)) + 1, false) FROM \(table);"
    }
    try session.run(
      """
      DO $import$ BEGIN
        IF EXISTS (
          SELECT 1 FROM ledger_accounts l LEFT JOIN
            (SELECT e.account, sum(e.amount) AS total FROM entries e GROUP BY e.account) s ON s.account = l.id
          WHERE l.balance <> coalesce(s.total, 0)
        ) OR EXISTS (SELECT 1 FROM entries e HAVING sum(e.amount) <> 0) THEN
          RAISE EXCEPTION 'the balances are not the sums of the payments';
        END IF;
      END $import$;
      \(next.joined(separator: "\n"))
      UPDATE authority SET registration_closed = 1;
      """)
    let counts = try session.run(
      "SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM transfers), (SELECT count(*) FROM events)")
    try session.commit()
    let numbers = (counts.first ?? []).map { $0.flatMap { Int($0) } ?? 0 }
    return (accounts: numbers[0], payments: numbers[1], events: numbers[2])
  }
}

extension SchemaSession {
  /// Runs statements in one round trip, and leaves none.
  fileprivate func run(_ statements: inout [ServerConnection.Statement]) throws(BackendError) {
    defer { statements = [] }
    guard !statements.isEmpty else { return }
    let batch = statements
    _ = try attempt { () throws(ServerFault) in try connection.run(batch) }
  }
}
