/// A table of the rule book, whose columns are in ``Schema``.
///
/// It declares what another database imports, and what the deletion of an account does.
package struct SchemaTable: Sendable {
  /// The name of the table in both databases.
  package let name: String
  /// The columns that another database does not import; nil if it imports no row.
  package let leftBehind: Set<String>?
  /// The statement that deletes what identifies the user of account `$1`; nil where nothing does.
  let erasure: String?

  /// All tables, in an order in which rows refer to earlier ones only.
  ///
  /// A token belongs to the database that issued it. A wait belongs to a boot, so in the other
  /// database it begins again with the next attempt. With the salt of events the other database
  /// keeps the name that session files know this one by, so a login there is refused as one that
  /// ended, and not as one of another database.
  package static let all = [
    // One row.
    SchemaTable("authority", leavingBehind: ["id", "archived_through"], erasing: nil),
    // `AccountQuery.erase` erases the account itself.
    SchemaTable("accounts", leavingBehind: [], erasing: nil),
    // Account 0 is the one that pays the opening credits.
    SchemaTable("ledger_accounts", leavingBehind: [], erasing: nil),
    SchemaTable("transfers", leavingBehind: [], erasing: LedgerQuery.forgetKeys.sql),
    SchemaTable("entries", leavingBehind: [], erasing: nil),
    SchemaTable("codes", leavingBehind: ["boot", "boot_until"], erasing: CodeQuery.voidAll.sql),
    // Hashes of names that are not given again.
    SchemaTable("reserved_names", leavingBehind: [], erasing: nil),
    SchemaTable("events", leavingBehind: [], erasing: nil),
    SchemaTable("two_steps", leavingBehind: [], erasing: TwoStepQuery.turnOff.sql),
    // A session that ends forgets where it was.
    SchemaTable("sessions", leavingBehind: nil, erasing: nil),
    SchemaTable("other_tokens", leavingBehind: nil, erasing: nil),
    SchemaTable("unknown_names", leavingBehind: nil, erasing: nil),
    SchemaTable("challenges", leavingBehind: nil, erasing: ChallengeQuery.closeAll.sql),
  ]

  private init(_ name: String, leavingBehind left: Set<String>?, erasing erasure: String?) {
    (self.name, leftBehind, self.erasure) = (name, left, erasure)
  }
}

/// What an import brought: how many of each.
package typealias ImportSummary = (accounts: Int, payments: Int, events: Int)

/// Hands over the columns and values of each row of a table to a closure.
package typealias ExportedRows = (
  _ table: SchemaTable, _ take: (_ columns: [String], _ values: [SQLValue]) throws(BackendError) -> Void
) throws(BackendError) -> Void
