import AuthAccounts
import AuthCore
import AuthDevice
import AuthRules

/// A transaction on one connection, between BEGIN and COMMIT.
final class PostgresTransaction: Transaction {
  let connection: ServerConnection
  /// Statements whose answer nobody reads, sent with the next one that has an answer.
  private var added: [ServerConnection.Statement] = []
  /// Microseconds since 1970 by the server's clock, when this began and had its first lock; nil
  /// until the server answered that it began.
  private var time: Int64?
  /// The server's process that answered.
  private var process: Int64?
  /// The time to use for a time of the server's clock.
  private let heard: (Int64) -> Int64
  /// What the server or the connection refused; the transaction is over then.
  private var fault: ServerFault?
  private var isCommitting = false

  /// Begins a transaction, together with its first statement that has an answer.
  ///
  /// - Parameters:
  ///   - connection: The connection, on which nothing else runs.
  ///   - scope: What the transaction decides about; nil if it only reads.
  ///   - heard: The time to use for a time of the server's clock, in microseconds since 1970.
  init(_ connection: ServerConnection, _ scope: WriteScope?, heard: @escaping (Int64) -> Int64) {
    (self.connection, self.heard) = (connection, heard)
    add(
      scope == nil
        ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    // A write of rows excludes those that decide about everything, and no other.
    let lock =
      switch scope {
      case nil: "NULL, NULL"
      case .rows: "\(Self.noLimit), pg_advisory_xact_lock_shared(\(PostgresSchema.writeLock))"
      case .everything, .creation: "\(Self.noLimit), pg_advisory_xact_lock(\(PostgresSchema.writeLock))"
      }
    add("SELECT \(lock), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, pg_backend_pid()")
  }

  /// The limit of the connection is for reads: the commit of a write may wait for a standby.
  private static let noLimit = "set_config('statement_timeout', '0', true)"

  /// The error of the statement that ended this.
  var failure: BackendError? { fault?.failure(at: connection.place) }

  /// Whether nothing was committed, and another try may succeed: the server undid it by itself, or
  /// the connection broke before the commit.
  var mayBeRepeated: Bool {
    switch fault {
    case nil: false
    // A serialization failure or a deadlock; or the plan of a statement that was prepared before a
    // table changed, which a new connection makes anew.
    case .refused(let state, _): ["40001", "40P01", "0A000"].contains(state)
    case .notConnected, .unknown: !isCommitting
    }
  }

  /// Waits until the server has begun the transaction.
  ///
  /// - Returns: Microseconds since 1970 at its beginning.
  @discardableResult
  private func begin() throws(BackendError) -> Int64 {
    if time == nil { try send() }
    guard let time else { throw damaged("it does not say what time it is") }
    return time
  }

  /// Commits, and asks where the change is in the log of the server.
  ///
  /// - Returns: Nil when nothing was written.
  /// - Throws: As ``commit()``.
  func commitAsking() throws(BackendError) -> ConfirmedServer.Change? {
    add(ConfirmedServer.Change.query)
    guard let place = try commit().dropLast().last?.columns(0), !place.isNull(1) else { return nil }
    return ConfirmedServer.Change(log: place.integer(0), transaction: place.integer(1))
  }

  /// Commits the transaction, in one round trip with the statements that wait to be sent.
  ///
  /// - Returns: The answers to all statements that were sent with it, and the one to COMMIT.
  /// - Throws: ``BackendError``, with the code `outcome_unknown` when the answer is lost.
  @discardableResult
  func commit() throws(BackendError) -> [ServerResult] {
    // What is lost before it began can be repeated.
    try begin()
    isCommitting = true
    do throws(BackendError) {
      add("COMMIT")
      return try send()
    } catch {
      if case .refused = fault { throw error }
      throw .unavailable(.outcomeUnknown, "the database at \(connection.place)", fault?.message ?? "")
    }
  }

  func rollBack() { if time != nil { _ = try? connection.run("ROLLBACK") } }

  /// The database takes the place of the boot, and its server's clock that of the boot clock.
  func now() throws(BackendError) -> BootInstant {
    BootInstant(boot: connection.database, uptime: .microseconds(try begin()))
  }

  /// A failure to begin ends the transaction, whose time does not matter then.
  var wallTime: WallTime { WallTime(microseconds: (try? begin()) ?? 0) }

  /// From a sequence, which transactions that run beside each other do not wait for.
  func eventNumber() -> Int64? { nil }

  func receiptNumber() -> Int64? { nil }

  func skipReceipts(through number: Int64) throws(BackendError) -> Int64 {
    try one(NumberQuery.skip, number, else: "the sequence of payments is missing")
  }

  func lock(_ lock: Lock) {
    let (sql, values) = Self.statement(lock)
    add(sql, values)
  }

  /// The statement that takes a lock.
  static func statement(_ lock: Lock) -> ServerConnection.Statement {
    switch lock {
    case .session(let hash):
      (
        """
        SELECT 1 FROM sessions WHERE id = coalesce((SELECT id FROM sessions WHERE token_hash = $1),
          (SELECT session FROM other_tokens WHERE token_hash = $1)) FOR NO KEY UPDATE
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
  }

  func run(_ sql: String, _ values: [SQLValue]) throws(BackendError) { add(sql, values) }

  func step(
    _ sql: String, _ values: [SQLValue], _ wantsMore: (Row) throws(BackendError) -> Bool
  ) throws(BackendError) -> Int {
    let result = try answer(sql, values)
    for row in 0..<result.count { if try !wantsMore(Row(result.columns(row), of: self)) { break } }
    return result.changes
  }

  var place: String { "the database at \(connection.place)" }

  func damaged(_ detail: String) -> BackendError {
    .unavailable(.databaseCorrupt, place, detail)
  }

  private func add(_ sql: String, _ values: [SQLValue] = []) { added.append((sql, values)) }

  private func answer(_ sql: String, _ values: [SQLValue] = []) throws(BackendError) -> ServerResult {
    add(sql, values)
    let answers = try send()
    return answers[answers.count - 1]
  }

  /// Sends the statements that wait for it, and waits for the answers.
  @discardableResult
  private func send() throws(BackendError) -> [ServerResult] {
    defer { added = [] }
    do throws(ServerFault) {
      // Behind a pooler, nothing else is sent before it is clear whose transaction this is.
      if time == nil, connection.isPooled, added.count > 2 {
        hear(try connection.run(Array(added[..<2])))
        try requireOwnProcess()
        return try connection.run(Array(added[2...]))
      }
      let answers = try connection.run(added)
      if time == nil {
        hear(answers)
        try requireOwnProcess()
      }
      return answers
    } catch {
      fault = error
      throw error.failure(at: connection.place)
    }
  }
}

extension PostgresTransaction {
  /// Takes the time and the process from the answers to the first two statements.
  private func hear(_ answers: [ServerResult]) {
    let row = answers[1].columns(0)
    (time, process) = (heard(row.integer(2)), row.integer(3))
  }

  private func requireOwnProcess() throws(ServerFault) {
    guard process == connection.process else {
      throw .refused(state: ServerState.pooled, "another process of the server answered")
    }
  }
}

private enum NumberQuery: String, Query {
  /// No other write runs then, and a sequence that was never used has no last value.
  case skip = """
    SELECT setval(sequence, greatest(pg_sequence_last_value(sequence), $1))
    FROM (SELECT pg_get_serial_sequence('transfers', 'id')::regclass AS sequence) s
    """
}
