package import AuthBackend
package import AuthCore
import AuthDevice
import Glibc

/// The tables of the rule book in a PostgreSQL database.
///
/// A write is read committed and locks what it decides about by name. What the server undid by
/// itself, such as a deadlock, and what was lost before it was committed, is done again here; only
/// a lost answer to COMMIT leaves the outcome unknown.
package final class PostgresDatabase: Database {
  private let limits: ServerLimits
  private let pool: ConnectionPool
  private let serverClock: ServerClock
  /// The time to use for a time of the server's clock, in microseconds since 1970.
  private let adjusted: @Sendable (Int64) -> Int64
  private let confirmed: ConfirmedServer?
  package let patience: Duration

  /// Names a database; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - address: Where it is.
  ///   - limits: How long to wait, for what.
  ///   - connections: How many at most.
  ///   - patience: How long a transaction waits for others.
  ///   - confirmed: Where it is written down which server confirmed the last change. An older one
  ///     is refused then; nil refuses none.
  ///   - clock: The clock of this machine.
  ///   - adjusted: The time to use for a time of the server's clock, in microseconds since 1970,
  ///     for tests that move it.
  package init(
    _ address: ServerAddress, limits: ServerLimits = ServerLimits(), connections: Int = 32,
    patience: Duration = .seconds(5), confirmed: ConfirmedServer? = nil, clock: any SessionClock = BootClock(),
    adjusted: @escaping @Sendable (Int64) -> Int64 = { $0 }
  ) {
    self.limits = limits
    self.adjusted = adjusted
    self.patience = patience
    self.confirmed = confirmed
    serverClock = ServerClock(local: clock)
    let order = HostOrder()
    pool = ConnectionPool(size: connections) { () throws(ServerFault) in
      let connecting = Connecting(
        address: address, limits: limits, verify: { confirmed?.refusal(of: $0, until: $1) }, order: order)
      let connection = try connecting.connect()
      let id = try PostgresSchema.check(connection, lockTimeout: patience, until: .now + limits.answer)
      return PreparedStatements(connection, to: id)
    }
  }

  package var clock: any SessionClock { serverClock }

  package func read<Result: Sendable>(
    _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try transaction(nil, body)
  }

  package func write<Result: Sendable>(
    _ scope: WriteScope, preparing queries: [String],
    _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try transaction(scope, body)
  }

  /// Nothing is left behind: old versions of rows are PostgreSQL's to remove, by vacuum.
  package func removeTraces() {}

  package func changes() -> any ChangeSource { PostgresChanges(self) }

  /// What came of one try of a transaction.
  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    case failed(BackendError)
    /// Nothing was committed, and another try may succeed.
    case again(ServerFault, place: String)
  }

  private func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let end = ContinuousClock.now + patience
    var last: BackendError?
    while true {
      let outcome: Outcome<Result>?
      do throws(ServerFault) {
        outcome = try pool.lend(until: end) { (statements) throws(ServerFault) in
          attempt(scope, on: statements, body)
        }
      } catch {
        throw error.failure(at: "the server")
      }
      switch outcome {
      case .done(let result): return result
      case .failed(let error): throw error
      case .again(let fault, let place): last = fault.failure(at: place)
      case nil:
        throw last ?? .unavailable(.databaseBusy, "the database", "all connections to it are in use")
      }
      if let last, ContinuousClock.now >= end { throw last }
      var pause = timespec(tv_sec: 0, tv_nsec: .random(in: 1_000_000...10_000_000))
      nanosleep(&pause, nil)
    }
  }

  private func attempt<Result: Sendable>(
    _ scope: WriteScope?, on statements: PreparedStatements,
    _ body: (any Transaction) throws(BackendError) -> Result
  ) -> (Outcome<Result>, isUsable: Bool) {
    let place = statements.connection.place
    let transaction = PostgresTransaction(statements, answerLimit: limits.answer)
    do throws(ServerFault) {
      try transaction.begin(scope, adjusted)
    } catch {
      return ended(error, place)
    }
    serverClock.hear(transaction.time * 1000, from: statements.database)
    let result: Result
    do throws(BackendError) {
      result = try body(transaction)
      if let fault = transaction.fault { return ended(fault, place) }
    } catch {
      if let fault = transaction.fault { return ended(fault, place) }
      let isUsable = (try? transaction.rollBack()) != nil
      return (.failed(error), isUsable)
    }
    do throws(ServerFault) {
      try transaction.commit()
      if scope != nil { confirmed?.note(statements.connection) }
      return (.done(result), true)
    } catch {
      if scope == nil { return (.done(result), false) }
      if case .refused = error { return ended(error, place) }
      let failure = BackendError.unavailable(.outcomeUnknown, "the database at \(place)", error.message)
      return (.failed(failure), false)
    }
  }

  /// A transaction that the server undid, or whose connection broke before it was committed.
  ///
  /// The connection is dropped: that is simpler to be sure of than a rollback, and rare.
  private func ended<Result: Sendable>(_ fault: ServerFault, _ place: String) -> (Outcome<Result>, isUsable: Bool) {
    if case .refused = fault, !fault.asksToRetry { return (.failed(fault.failure(at: place)), false) }
    return (.again(fault, place: place), false)
  }
}

extension ServerFault {
  /// What the server or libpq said.
  var message: String {
    switch self {
    case .notConnected(let message, _), .refused(_, let message), .unknown(let message): message
    }
  }
}

/// Looks every second whether anything was written.
///
/// Within one service its own writes say so sooner; this finds those of others.
private final class PostgresChanges: ChangeSource {
  private let database: PostgresDatabase
  private var seen: [Int64] = []

  init(_ database: PostgresDatabase) {
    self.database = database
  }

  func listen() -> Bool { true }
  var descriptor: Int32 { -1 }
  var longestWait: Duration? { .seconds(1) }

  func drain() throws(BackendError) -> Bool {
    let now = try database.read { (db) throws(BackendError) in
      try db.all(ChangeQuery.counters) { $0.integer(0) }
    }
    defer { seen = now }
    return now != seen
  }
}

/// Every write that others see ends, changes or pays something, and leaves an event or a transfer.
private enum ChangeQuery: String, Query {
  case counters = "SELECT max(id) FROM events UNION ALL SELECT max(id) FROM transfers"
}
