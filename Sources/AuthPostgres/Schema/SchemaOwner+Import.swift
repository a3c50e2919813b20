package import AuthBackend
import AuthCore
import AuthDevice
import TextFormat

/// Takes over what another backend exports, in one transaction.
extension SchemaOwner {
  /// Makes the schema, and fills it.
  ///
  /// Accounts keep their passwords: the server's verifier is a hash of the stored hash.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_not_empty`) when there is a schema.
  package func importing(_ export: ExportedRows) throws(BackendError) -> ImportSummary {
    let found = try look()
    if found.version != nil {
      throw .refused(
        "schema_not_empty", "The database '\(found.facts.database.escaped)' has the schema already.",
        hint: "Nothing was changed. Import into another database, or delete what is there: auth-cli schema remove")
    }
    let connection: ServerConnection
    do throws(ServerFault) {
      connection = try connect()
      try connection.requireUTF8()
    } catch {
      throw Self.failure(error, at: found.facts.place)
    }
    let place = connection.facts.place
    func asked<Result>(_ body: () throws(ServerFault) -> Result) throws(BackendError) -> Result {
      do throws(ServerFault) {
        return try body()
      } catch {
        // Nothing is committed yet, so nothing was changed.
        if case .unknown = error { throw error.failure(at: place) }
        throw Self.failure(error, at: place)
      }
    }
    func script(_ text: String) throws(BackendError) {
      try asked { () throws(ServerFault) in try connection.runScript(text, until: deadline) }
    }

    try script(
      """
      BEGIN; SET LOCAL client_min_messages = error;
      \(ServerSchema.roles(database: Self.quoted(connection.facts.database)))
      \(schema.creation)
      SET LOCAL ROLE \(ServerSchema.ownerRole); SET LOCAL search_path = \(ServerSchema.name), pg_temp;
      """)
    var settings: [ExportedValue] = []
    try export(.settings) { settings = $0 }
    // Made with the schema; the import brings it.
    try script("DELETE FROM ledger_accounts;")
    var counts: [ExportedTable: Int] = [:]
    var withoutPassword: [String] = []
    for table in ExportedTable.allCases where table != .settings {
      try asked { () throws(ServerFault) in
        try connection.startCopy("COPY \(Self.columns(of: table)) FROM STDIN", until: deadline)
      }
      var lines: [UInt8] = []
      try export(table) { (row) throws(BackendError) in
        counts[table, default: 0] += 1
        lines += CopyText.line(try converted(row, of: table, &withoutPassword))
        if lines.count > 1 << 16 {
          try asked { () throws(ServerFault) in try connection.put(lines, until: deadline) }
          lines = []
        }
      }
      try asked { () throws(ServerFault) in
        try connection.put(lines, until: deadline)
        try connection.endCopy(until: deadline)
      }
    }
    try script(Self.completion(settings))
    do throws(ServerFault) {
      try connection.runScript("REVOKE \(ServerSchema.ownerRole) FROM CURRENT_USER; COMMIT;", until: deadline)
    } catch {
      throw Self.failure(error, at: place)
    }
    return ImportSummary(
      connection: connection.facts, accounts: counts[.accounts] ?? 0, payments: counts[.transfers] ?? 0,
      events: counts[.events] ?? 0, withoutPassword: withoutPassword)
  }

  /// What takes the values of a row, in their order.
  ///
  /// The server refuses a row with more or fewer values.
  private static func columns(of table: ExportedTable) -> String {
    switch table {
    case .accounts:
      """
      accounts(id, name, display_name, role, setting, verifier, disabled, created_at, guesses, failures, attempts, \
      wait_until)
      """
    case .balances: "ledger_accounts(id, balance)"
    case .transfers: "transfers(id, payer, payee, amount, key, key_was_given, made_at)"
    case .entries: "entries(account, transfer, amount)"
    case .codes: "codes(account, code_hash, expires_at)"
    case .reservedNames: "reserved_names(name_hash)"
    case .events: "events(id, at, name, account, actor, session, detail)"
    case .twoSteps: "two_steps(account, secret, last_step, since)"
    case .settings: "(administrator_made, registration_closed, two_step_required)"
    }
  }

  /// The row as the server has it; what it does not know of comes after that.
  private func converted(
    _ row: [ExportedValue], of table: ExportedTable, _ withoutPassword: inout [String]
  ) throws(BackendError) -> [ExportedValue] {
    switch table {
    case .balances, .entries, .reservedNames, .events, .settings, .twoSteps: return row
    case .transfers: return row[..<5] + [.number(row[4] == .null ? 0 : 1)] + row[5...]
    case .codes:
      guard case .number(let time) = row[2] else { return row }
      return row[..<2] + [.number(time &* 1000)] + row[3...]
    case .accounts:
      guard case .text(let hash) = row[4], case .text(let name) = row[1] else { throw Self.malformed }
      let (setting, verifier): (String, [UInt8])
      if Self.isComplete(hash) {
        (setting, verifier) = (PostgresBackend.setting(of: hash), SHA256.hash(Array(hash.utf8)))
      } else {
        // No password opens it: it was deleted, or waits for its first password.
        if PasswordCost(of: hash) == nil { withoutPassword.append(name) }
        (setting, verifier) = (try Self.drawnSetting(), try Secrets.random(count: 32))
      }
      let wait: ExportedValue = row[10] == .number(1) ? .number(0) : .null
      return row[..<4] + [.text(setting), .bytes(verifier)] + row[5..<10] + [wait] + row[11...]
    }
  }

  private static let malformed = BackendError.unavailable(
    .unreadable, "database_corrupt", "An account of the embedded database cannot be read.",
    hint: "Nothing was changed.")

  /// Whether the server takes it: a setting of 28 or 29 characters as ours are, and a hash.
  private static func isComplete(_ hash: String) -> Bool {
    let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
    return PasswordCost(of: hash) != nil && parts.count == 5 && parts[3].utf8.count == 22 && parts[4].utf8.count == 43
  }

  /// A setting like that of any account, so that nobody can tell by it that there is no password.
  private static func drawnSetting() throws(BackendError) -> String {
    let alphabet = Array(PasswordHasher.alphabet.utf8)
    var salt = try Secrets.random(count: 22).map { alphabet[Int($0 & 63)] }
    salt[21] = alphabet[Int(try Secrets.random(count: 1)[0] & 3)]
    return PasswordCost.standard.prefix + String(decoding: salt, as: UTF8.self)
  }

  /// What follows from the rows, and whether the money adds up.
  private static func completion(_ settings: [ExportedValue]) -> String {
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
    UPDATE accounts SET wait_until = clock_ns() + wait_after(guesses) WHERE wait_until IS NOT NULL;
    INSERT INTO hash_costs SELECT left(a.setting, 7), count(*) FROM accounts a
      WHERE a.name NOT LIKE '\(DeletedAccount.namePrefix)%' GROUP BY 1;
    SELECT setval(pg_get_serial_sequence('accounts', 'id'), coalesce(max(a.id), 0) + 1, false) FROM accounts a;
    SELECT setval(pg_get_serial_sequence('transfers', 'id'), coalesce(max(t.id), 0) + 1, false) FROM transfers t;
    UPDATE authority SET \(columns(of: .settings)) = ROW(\(settings.map { "\($0 == .number(1))" }.joined(separator: ", ")));
    RESET ROLE;
    """
  }
}
