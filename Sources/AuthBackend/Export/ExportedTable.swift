/// What one backend hands over to another, table by table, in an order in which rows refer to
/// earlier ones only.
///
/// Sessions are not among them: a token belongs to the database that issued it. Times are in
/// microseconds since 1970.
package enum ExportedTable: String, Query {
  /// The last column says whether the next guess has to wait.
  case accounts = """
    SELECT id, name, display_name, role, password_hash, disabled, created_at, guesses, failures, attempts,
      wait_until IS NOT NULL
    FROM accounts
    """
  /// Account 0 is the one that pays the opening credits.
  case balances = "SELECT id, balance FROM ledger_accounts"
  case transfers = "SELECT id, payer, payee, amount, key, made_at FROM transfers"
  case entries = "SELECT account, transfer, amount FROM entries"
  case codes = "SELECT account, code_hash, expires_at FROM codes"
  /// Hashes of names that are not given again.
  case reservedNames = "SELECT name_hash FROM reserved_names"
  case events = "SELECT id, at, name, account, actor, session, detail FROM events"
  /// Those that are on.
  case twoSteps = "SELECT account, secret, last_step, since FROM two_steps WHERE last_step IS NOT NULL"
  /// One row.
  case settings = "SELECT administrator_made, registration_closed, two_step_required, event_salt FROM authority"
}

/// What an import brought: how many of each.
package typealias ImportSummary = (accounts: Int, payments: Int, events: Int)

/// Hands over each row of a table to a closure.
package typealias ExportedRows = (
  _ table: ExportedTable, _ take: ([SQLValue]) throws(BackendError) -> Void
) throws(BackendError) -> Void
