package import AuthAccounts
package import AuthCore
package import AuthRules

/// A database that a test has altered.
package struct AlteredDatabase: Database {
  private let base: any Database
  /// What happens after each read.
  package var afterRead: @Sendable () -> Void = {}
  /// Makes another scope of that of each transaction.
  package var scope: @Sendable (WriteScope?) -> WriteScope? = { $0 }
  /// Makes another transaction of each.
  package var altered: @Sendable (any Transaction) -> any Transaction = { $0 }

  package init(_ base: any Database) { self.base = base }

  package var clock: any SessionClock { base.clock }

  package func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let result = try base.transaction(self.scope(scope)) { (db) throws(BackendError) in try body(altered(db)) }
    if scope == nil { afterRead() }
    return result
  }

  package func removeTraces() throws(BackendError) { try base.removeTraces() }
}
