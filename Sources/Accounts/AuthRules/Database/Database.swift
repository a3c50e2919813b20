package import AuthAccounts
package import AuthCore

/// The database of the rules, on SQLite or PostgreSQL.
///
/// A conformer stores and locks, and decides nothing. Every call blocks its caller, for as long as
/// the disk or the server takes, up to a limit of the conformer's own.
package protocol Database: Sendable {
  /// The clock that measures the limits of sessions, for those who display them.
  var clock: any SessionClock { get }

  /// Runs `body` in a transaction, on one unchanging state of the data where it only reads; what it
  /// throws undoes what it did.
  ///
  /// `body` may run twice, so it changes nothing but the database.
  ///
  /// - Parameters:
  ///   - scope: What `body` decides about; nil if it only reads.
  ///   - body: Works on the transaction.
  /// - Returns: What `body` returns, when it is committed.
  /// - Throws: What `body` throws, or ``BackendError`` of kind `unavailable`. Nothing was changed,
  ///   except where the code is `outcome_unknown`.
  func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result

  /// Removes what a deletion left behind outside of the tables, such as a journal.
  func removeTraces() throws(BackendError)
}

extension Database {
  /// Runs `body` on one unchanging state of the data.
  package func read<Result: Sendable>(
    _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try transaction(nil, body)
  }

  /// Runs `body` in a transaction that may change what is in the scope.
  package func write<Result: Sendable>(
    _ scope: WriteScope, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try transaction(scope, body)
  }
}

/// The data that a write decides about, so that unrelated writes do not wait for it.
package enum WriteScope: Hashable, Sendable {
  /// The rows that it locks by name; see ``Lock``.
  case rows
  /// Everything: no other write runs.
  case everything
  /// Everything, in a database that is created if it is missing.
  case creation
}

/// What a write in the scope of rows locks, before it reads what it decides by.
///
/// Locks are taken in the order of these cases, so that no two writes wait for each other.
package enum Lock: Hashable, Sendable {
  /// The session of a token, whose hash this is.
  case session([UInt8])
  case account(Int64)
  case accountNamed(String)
  /// The balances of two accounts, or of one.
  case balances(Int64, Int64)
  /// The counters of all names without an account.
  case unknownNames
}

/// A transaction, for as long as the body of a ``Database`` runs.
package protocol Transaction: AnyObject {
  /// The present instant on the clock of the database: the same one for the whole transaction.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` when it cannot be read.
  func now() throws(BackendError) -> BootInstant

  /// The present time, for people to read.
  var wallTime: WallTime { get }

  /// The number of the next event, more than that of every event before; nil if the database itself
  /// numbers events.
  func eventNumber() throws(BackendError) -> Int64?

  /// The number of the next payment; nil if the database itself continues after the last one.
  func receiptNumber() throws(BackendError) -> Int64?

  /// Makes the receipt numbers of new payments continue after a number, unless they already do.
  ///
  /// - Returns: The last number that no new payment gets.
  func skipReceipts(through number: Int64) throws(BackendError) -> Int64

  /// Waits until no other write holds this lock, and keeps it until the transaction ends.
  ///
  /// A driver may take the lock as late as with the next statement.
  func lock(_ lock: Lock) throws(BackendError)

  /// Runs a statement for its effect, in order with the others.
  ///
  /// A driver may send it together with the next statement that has an answer; then that one
  /// throws what this one would have thrown.
  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError)

  /// Runs a statement, and hands over its rows until `wantsMore` returns false.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int

  /// The file or the server of the database, for messages.
  var place: String { get }

  /// The error for inconsistent data.
  func damaged(_ detail: String) -> BackendError
}

extension Transaction {
  package func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) {
    try step(sql, values) { (_) throws(BackendError) in false }
  }

  /// Runs a statement for its effect; see ``Transaction``.
  package func run(_ query: some Query, _ values: (any SQLBindable)?...) throws(BackendError) {
    try run(query.sql, Self.bound(values))
  }

  /// Runs a statement for its effect now.
  ///
  /// - Returns: The number of rows it changed.
  package func changes(of query: some Query, _ values: (any SQLBindable)?...) throws(BackendError) -> Int {
    try step(query.sql, Self.bound(values)) { (_) throws(BackendError) in false }
  }

  /// Whether there is a row.
  package func has(_ query: some Query, _ values: (any SQLBindable)?...) throws(BackendError) -> Bool {
    try !rows(query, values, limit: 1, { _ in () }).isEmpty
  }

  /// The first row, or nil.
  package func first<Value: RowDecodable>(
    _ query: some Query, _ values: (any SQLBindable)?...
  ) throws(BackendError) -> Value? {
    try rows(query, values, limit: 1) { (row) throws(BackendError) in try Value(row) }.first
  }

  /// The first row, which must exist.
  ///
  /// - Throws: ``BackendError`` for a damaged database, with `fault`, when there is none.
  package func one<Value: RowDecodable>(
    _ query: some Query, _ values: (any SQLBindable)?..., else fault: String
  ) throws(BackendError) -> Value {
    let rows = try rows(query, values, limit: 1) { (row) throws(BackendError) in try Value(row) }
    guard let value = rows.first else { throw damaged(fault) }
    return value
  }

  /// Every row.
  package func all<Value: RowDecodable>(
    _ query: some Query, _ values: (any SQLBindable)?...
  ) throws(BackendError) -> [Value] {
    try rows(query, values) { (row) throws(BackendError) in try Value(row) }
  }

  /// Every row, read by `read`.
  package func all<Value>(
    _ query: some Query, _ values: (any SQLBindable)?..., read: (Row) throws(BackendError) -> Value
  ) throws(BackendError) -> [Value] {
    try rows(query, values, read)
  }

  private func rows<Value>(
    _ query: some Query, _ values: [(any SQLBindable)?], limit: Int = .max,
    _ read: (Row) throws(BackendError) -> Value
  ) throws(BackendError) -> [Value] {
    var rows: [Value] = []
    try step(query.sql, Self.bound(values)) { (row) throws(BackendError) in
      rows.append(try read(row))
      return rows.count < limit
    }
    return rows
  }

  private static func bound(_ values: [(any SQLBindable)?]) -> [SQLValue] { values.map { $0?.bound ?? .null } }
}

/// Hands over the columns and values of each row of a table to a closure.
package typealias ExportedRows = (
  _ table: SchemaTable, _ take: (_ columns: [String], _ values: [SQLValue]) throws(BackendError) -> Void
) throws(BackendError) -> Void
