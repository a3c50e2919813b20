package import AuthBackend
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
    _ export: ExportedRows, into address: ServerAddress, limits: ServerLimits = Self.limits
  ) throws(BackendError) -> ImportSummary {
    let session = try beginImport(address, limits)
    var settings: [SQLValue] = []
    try export(.settings) { settings = $0 }
    for table in ExportedTable.allCases where table != .settings { try copy(table, export, to: session) }
    // With the salt it keeps the name that session files know it by, so a login there is refused as
    // one that ended, and not as one of another database.
    let values = settings.map { value in
      switch value {
      case .integer(let number): "\(number)"
      case .blob(let bytes): "'\\x\(Hex.text(bytes))'"
      case .text, .null: "NULL"
      }
    }
    try session.script("UPDATE authority SET \(columns(of: .settings)) = ROW(\(values.joined(separator: ", ")));")
    return try completeImport(session, "UPDATE authority SET registration_closed = 1;")
  }

  /// Connects and creates the tables in a transaction, without the account that pays the opening
  /// credits: the import brings it.
  static func beginImport(_ address: ServerAddress, _ limits: ServerLimits) throws(BackendError) -> SchemaSession {
    let session = try SchemaSession(address, limits)
    guard try !session.isInstalled() else { throw .refused(.schemaNotEmpty, session.database.escaped) }
    try session.script("BEGIN; \(creation(of: name)); DELETE FROM ledger_accounts;")
    return session
  }

  /// Checks that the money adds up, sets the next numbers, and commits.
  static func completeImport(_ session: SchemaSession, _ last: String) throws(BackendError) -> ImportSummary {
    let next = ["accounts", "transfers", "events"].map { table in
      "SELECT setval(pg_get_serial_sequence('\(table)', 'id'), coalesce(max(id), 0) + 1, false) FROM \(table);"
    }
    try session.script(
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
      UPDATE accounts SET last_login_at = coalesce((
        SELECT max(at) FROM events
        WHERE account = accounts.id AND events.name IN ('authn_login_success', 'authn_login_successafterfail')), 0)
      WHERE name > '/';
      \(last)
      """)
    let counts = try session.rows(
      "SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM transfers), (SELECT count(*) FROM events)")
    try session.commit()
    let numbers = (counts.first ?? []).map { $0.flatMap { Int($0) } ?? 0 }
    return (accounts: numbers[0], payments: numbers[1], events: numbers[2])
  }

  private static func copy(
    _ table: ExportedTable, _ export: ExportedRows, to session: SchemaSession
  ) throws(BackendError) {
    let connection = session.connection
    try session.ask { (deadline) throws(ServerFault) in
      try connection.startCopy("COPY \(columns(of: table)) FROM STDIN", until: deadline)
    }
    var lines: [UInt8] = []
    try export(table) { (row) throws(BackendError) in
      lines += CopyText.line(converted(row, of: table))
      if lines.count > 1 << 16 {
        try session.ask { (deadline) throws(ServerFault) in try connection.put(lines, until: deadline) }
        lines = []
      }
    }
    try session.ask { (deadline) throws(ServerFault) in
      try connection.put(lines, until: deadline)
      try connection.endCopy(until: deadline)
    }
  }

  /// What takes the values of a row, in their order.
  ///
  /// The server refuses a row with more or fewer values.
  private static func columns(of table: ExportedTable) -> String {
    switch table {
    case .accounts:
      """
      accounts(id, name, display_name, role, password_hash, disabled, created_at, guesses, failures, attempts, \
      wait_boot, wait_until)
      """
    case .balances: "ledger_accounts(id, balance)"
    case .transfers: "transfers(id, payer, payee, amount, key, made_at)"
    case .entries: "entries(account, transfer, amount)"
    case .codes: "codes(account, code_hash, expires_at)"
    case .reservedNames: "reserved_names(name_hash)"
    case .events: "events(id, at, name, account, actor, session, detail)"
    case .twoSteps: "two_steps(account, secret, last_step, since)"
    case .settings: "(administrator_made, registration_closed, two_step_required, event_salt)"
    }
  }

  /// A wait is one of another boot, and so begins again with the next attempt.
  private static func converted(_ row: [SQLValue], of table: ExportedTable) -> [SQLValue] {
    guard table == .accounts else { return row }
    let wait: [SQLValue] =
      row[10] == .integer(1) ? [.blob([UInt8](repeating: 0, count: 16)), .integer(0)] : [.null, .null]
    return row[..<10] + wait + row[11...]
  }
}
