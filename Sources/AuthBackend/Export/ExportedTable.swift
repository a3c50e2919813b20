/// What one backend hands over to another, table by table, in an order in which rows refer to
/// earlier ones only.
///
/// Sessions are not among them: a token belongs to the database that issued it.
package enum ExportedTable: CaseIterable, Sendable {
  /// Number, name, display name, role, hash of the password in crypt(5) form, whether it is
  /// disabled, time of creation, guesses, failures, attempts, whether the next guess has to wait.
  case accounts
  /// Account and balance; account 0 is the one that pays the opening credits.
  case balances
  /// Number, payer, payee, amount, idempotency key, time.
  case transfers
  /// Account, transfer, amount.
  case entries
  /// Account, hash, time of expiry or null.
  case codes
  /// Hashes of names that are not given again.
  case reservedNames
  /// Number, time, name, account, actor, session, detail.
  case events
  /// Account, secret, last time step that opened something, since when. Those that are on.
  case twoSteps
  /// One row: whether there was an administrator, whether registration is closed, and whether
  /// administrators must have a second step.
  case settings
}

/// A value of an exported row.
///
/// Times are in microseconds since 1970.
package enum ExportedValue: Hashable, Sendable {
  case number(Int64)
  case text(String)
  case bytes([UInt8])
  case null
}

/// What an import brought.
package struct ImportSummary: Hashable, Sendable {
  package let accounts: Int
  package let payments: Int
  package let events: Int

  package init(accounts: Int, payments: Int, events: Int) {
    self.accounts = accounts
    self.payments = payments
    self.events = events
  }
}

/// Hands over each row of a table to a closure.
package typealias ExportedRows = (
  _ table: ExportedTable, _ take: ([ExportedValue]) throws(BackendError) -> Void
) throws(BackendError) -> Void
