package import AuthAccounts
package import AuthCore
import AuthDevice
package import AuthRules
import Glibc
import TextFormat

/// The tables of the rule book in a PostgreSQL database.
///
/// A write is read committed and locks what it decides about by name. What the server undid by
/// itself, such as a deadlock, and what was lost before it was committed, is done again here; only
/// a lost answer to COMMIT leaves the outcome unknown.
package final class PostgresDatabase: Database {
  private let pool: ConnectionPool
  private let serverClock: ServerClock
  /// The time to use for a time of the server's clock, in microseconds since 1970.
  private let adjusted: @Sendable (Int64) -> Int64
  private let confirmed: ConfirmedServer?
  private let patience: Duration

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
    _ address: ServerAddress, limits: ServerLimits = .standard, connections: Int = 32,
    patience: Duration = .seconds(5), confirmed: ConfirmedServer? = nil, clock: any SessionClock = BootClock(),
    adjusted: @escaping @Sendable (Int64) -> Int64 = { $0 }
  ) {
    self.adjusted = adjusted
    self.patience = patience
    self.confirmed = confirmed
    serverClock = ServerClock(local: clock)
    let connecting = Connecting(address, limits, confirmed)
    pool = ConnectionPool(size: connections, limits) { () throws(BackendError) in
      do throws(ServerFault) {
        let connection = try connecting.connect()
        try PostgresSchema.check(connection, lockTimeout: patience)
        if connection.isPooled { try PoolerProbe(connecting).check(connection) }
        return connection
      } catch {
        throw error.failure(at: address.text.escaped)
      }
    }
  }

  package var clock: any SessionClock { serverClock }

  /// Nothing is left behind: old versions of rows are PostgreSQL's to remove, by vacuum.
  package func removeTraces() {}

  package func transaction<Result: Sendable>(
    _ scope: WriteScope?, _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let end = ContinuousClock.now + patience
    while true {
      var transaction: PostgresTransaction?
      do throws(BackendError) {
        return try pool.lend(until: end) { (connection) throws(BackendError) in
          let new = PostgresTransaction(connection, scope) { [serverClock, adjusted] time in
            let time = adjusted(time)
            serverClock.hear(time * 1000, from: connection.database)
            return time
          }
          transaction = new
          return try perform(scope, new, body)
        }
      } catch {
        guard transaction?.mayBeRepeated == true, ContinuousClock.now < end else { throw error }
        usleep(.random(in: 1_000...10_000))
      }
    }
  }

  private func perform<Result: Sendable>(
    _ scope: WriteScope?, _ transaction: PostgresTransaction,
    _ body: (any Transaction) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let result: Result
    do throws(BackendError) {
      result = try body(transaction)
    } catch {
      if let failure = transaction.failure { throw failure }
      transaction.rollBack()
      throw error
    }
    // The body may have ignored it.
    if let failure = transaction.failure { throw failure }
    do throws(BackendError) {
      guard scope != nil, let confirmed, let server = transaction.connection.server else {
        try transaction.commit()
        return result
      }
      if let change = try transaction.commitAsking() { confirmed.note(change, at: server) }
    } catch {
      // What a read has read is good, however it ends.
      if scope != nil { throw error }
    }
    return result
  }
}
