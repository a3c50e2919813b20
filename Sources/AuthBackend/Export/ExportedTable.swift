/// What one backend hands over to another, table by table, in an order in which rows refer to
/// earlier ones only.
///
/// Sessions are not among them: a token belongs to the database that issued it. Times are in
/// microseconds since 1970.
package enum ExportedTable: String, Query {
  case accounts
  /// Account 0 is the one that pays the opening credits.
  case balances = "ledger_accounts"
  case transfers, entries, codes
  /// Hashes of names that are not given again.
  case reservedNames = "reserved_names"
  case events
  /// Those that are on.
  case twoSteps = "two_steps"
  /// One row.
  case settings = "authority"

  /// The name of the table in both databases.
  package var name: String { rawValue }

  /// The columns of the table that are handed over.
  ///
  /// A wait belongs to a boot. In the other database it is one of another boot, so it begins again
  /// with the next attempt. With the salt of events the other database keeps the name that session
  /// files know this one by, so a login there is refused as one that ended, and not as one of
  /// another database.
  package var columns: String {
    switch self {
    case .accounts:
      """
      id, name, display_name, role, password_hash, disabled, created_at, guesses, failures, attempts, wait_boot, \
      wait_until, last_login_at
      """
    case .balances: "id, balance"
    case .transfers: "id, payer, payee, amount, key, made_at"
    case .entries: "account, transfer, amount"
    case .codes: "account, code_hash, expires_at"
    case .reservedNames: "name_hash"
    case .events: "id, at, name, account, actor, session, detail"
    case .twoSteps: "account, secret, last_step, since"
    case .settings: "administrator_made, registration_closed, two_step_required, event_salt"
    }
  }

  package var sql: String {
    "SELECT \(columns) FROM \(name)" + (self == .twoSteps ? " WHERE last_step IS NOT NULL" : "")
  }
}

/// What an import brought: how many of each.
package typealias ImportSummary = (accounts: Int, payments: Int, events: Int)

/// Hands over each row of a table to a closure.
package typealias ExportedRows = (
  _ table: ExportedTable, _ take: ([SQLValue]) throws(BackendError) -> Void
) throws(BackendError) -> Void
