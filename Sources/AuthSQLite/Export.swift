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
    try database.readConnection { (db) throws(BackendError) in
      try body { (table, take) throws(BackendError) in
        try db.each(ExportQuery(table)) { (columns) throws(BackendError) in try take(columns.exported) }
      }
    }
  }
}

/// The statements of an export; the columns are those of ``AuthBackend/ExportedTable``.
package enum ExportQuery: String, Query {
  case accounts = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, failures, attempts,
      wait_until IS NOT NULL
    FROM accounts
    """
  case balances = "SELECT id, balance FROM ledger_accounts"
  case transfers = "SELECT id, payer, payee, amount, key, made_at FROM transfers"
  case entries = "SELECT account, transfer, amount FROM entries"
  case codes = "SELECT account, code_hash, expires_at FROM codes"
  case reservedNames = "SELECT name_hash FROM reserved_names"
  case events = "SELECT id, at, name, account, actor, session, detail FROM events"
  case twoSteps = "SELECT account, secret, last_step, since FROM two_steps WHERE last_step IS NOT NULL"
  case settings = "SELECT administrator_made, registration_closed, two_step_required, event_salt FROM authority"

  init(_ table: ExportedTable) {
    switch table {
    case .accounts: self = .accounts
    case .balances: self = .balances
    case .transfers: self = .transfers
    case .entries: self = .entries
    case .codes: self = .codes
    case .reservedNames: self = .reservedNames
    case .events: self = .events
    case .twoSteps: self = .twoSteps
    case .settings: self = .settings
    }
  }
}
