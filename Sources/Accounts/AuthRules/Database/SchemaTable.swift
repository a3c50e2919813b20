/// A table of the rule book, whose columns are in ``Schema``.
///
/// It declares what another database imports, and what the deletion of an account does.
package struct SchemaTable: Sendable {
  /// The name of the table in both databases.
  package let name: String
  /// The columns that another database does not import; nil if it imports no row.
  package let leftBehind: Set<String>?
  /// The statement that deletes what identifies the user of account `$1`; nil if there is none.
  package let erasure: String?

  /// What the deletion of an account does with the rows of a table.
  enum Erasure {
    /// Keeps all rows as they are.
    case nothing
    /// Deletes the rows whose column `account` is the account.
    case rows
  }

  /// Declares a table, and what an import and the deletion of an account do with its rows.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - left: The columns that another database does not import; nil if it imports no row.
  ///   - erasure: What the deletion of an account does with the rows.
  init(_ name: String, leavingBehind left: Set<String>?, erasing erasure: Erasure) {
    (self.name, leftBehind) = (name, left)
    self.erasure =
      switch erasure {
      case .nothing: nil
      case .rows: "DELETE FROM \(name) WHERE account = $1"
      }
  }
}

/// What an import brought: how many of each.
package typealias ImportSummary = (accounts: Int, payments: Int, events: Int)
