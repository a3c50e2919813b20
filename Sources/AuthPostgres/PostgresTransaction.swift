import AuthBackend
import AuthCore
import AuthDevice

/// A transaction on one connection, between BEGIN and COMMIT.
final class PostgresTransaction: Transaction {
  private let statements: PreparedStatements
  private let answerLimit: Duration
  /// Microseconds since 1970 by the server's clock, when this began and had its first lock.
  private(set) var time: Int64 = 0
  /// What the server or the connection refused; the transaction is over then.
  private(set) var fault: ServerFault?

  init(_ statements: PreparedStatements, answerLimit: Duration) {
    self.statements = statements
    self.answerLimit = answerLimit
  }

  /// The locks that say how much a write decides about: all others, or its rows.
  private static let (shared, exclusive) = (
    "SELECT pg_advisory_xact_lock_shared(\(PostgresSchema.writeLock)), \(clock)",
    "SELECT pg_advisory_xact_lock(\(PostgresSchema.writeLock)), \(clock)"
  )
  private static let clock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

  func begin(_ scope: WriteScope?, _ adjusted: (Int64) -> Int64) throws(ServerFault) {
    statements.add(scope == nil ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN")
    let first =
      switch scope {
      case nil: "SELECT NULL, \(Self.clock)"
      case .rows: Self.shared
      case .everything, .creation: Self.exclusive
      }
    time = adjusted(try answer(first, []).columns(0).integer(1))
  }

  func commit() throws(ServerFault) {
    _ = try answer("COMMIT", [])
  }

  func rollBack() throws(ServerFault) {
    statements.forgetAdded()
    _ = try answer("ROLLBACK", [])
  }

  /// The database takes the place of the boot, and its server's clock that of the boot clock.
  func now() -> BootInstant { BootInstant(boot: statements.database, uptime: .microseconds(time)) }

  var wallTime: WallTime { WallTime(microseconds: time) }

  /// From a sequence, which transactions that run beside each other do not wait for.
  func eventNumber() throws(BackendError) -> Int64 {
    try first(NumberQuery.next) { $0.integer(0) } ?? 0
  }

  func lock(_ lock: Lock) throws(BackendError) {
    let (sql, values): (String, [SQLValue]) =
      switch lock {
      case .session(let hash):
        (
          """
          SELECT 1 FROM sessions WHERE token_hash = $1
            OR id = (SELECT session FROM other_tokens WHERE token_hash = $1) FOR NO KEY UPDATE
          """, [.blob(hash)]
        )
      case .account(let id): ("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.integer(id)])
      case .accountNamed(let name): ("SELECT 1 FROM accounts WHERE name = $1 FOR NO KEY UPDATE", [.text(name)])
      case .balances(let one, let other):
        (
          "SELECT 1 FROM ledger_accounts WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE",
          [.integer(one), .integer(other)]
        )
      case .unknownNames: ("SELECT pg_advisory_xact_lock(\(PostgresSchema.unknownNamesLock))", [])
      }
    statements.add(sql, values)
  }

  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) {
    statements.add(sql, values)
  }

  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int {
    let result: ServerResult
    do throws(ServerFault) {
      result = try answer(sql, values)
    } catch {
      fault = error
      throw error.failure(at: statements.connection.place)
    }
    for row in 0..<result.count { if try !wantsMore(Row(result.columns(row))) { break } }
    return result.changes
  }

  func damaged(_ detail: String) -> BackendError {
    .unavailable(.databaseCorrupt, "the database at \(statements.connection.place)", detail)
  }

  private func answer(_ sql: String, _ values: [SQLValue]) throws(ServerFault) -> ServerResult {
    try statements.run(sql, values, until: .now + answerLimit)
  }
}

private enum NumberQuery: String, Query {
  case next = "SELECT nextval(pg_get_serial_sequence('events', 'id'))"
}
