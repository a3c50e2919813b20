import AuthAccounts
import AuthRules
import ConcurrencyKit

/// A bounded number of connections to a server, each lent to one transaction at a time.
///
/// A connection that is given up in the middle of a statement counts until its server has ended it,
/// so that the server never works on more statements than the pool has connections.
final class ConnectionPool: Sendable {
  private typealias Kept = (connection: ServerConnection, since: ContinuousClock.Instant)

  private struct State {
    /// Connections for the next transactions; the one that was used last is at the end.
    var idle: [Kept] = []
    /// Connections that were given up and whose server has not ended them yet.
    var abandoned: [Kept] = []
    /// How many more may be lent.
    var free: Int

    mutating func takePlace(_ limits: ServerLimits) -> Void? {
      let now = ContinuousClock.now
      let count = abandoned.count
      // A server that no longer exists ends nothing.
      abandoned.removeAll { $0.connection.isGone() || now - $0.since > limits.abandoned }
      free += count - abandoned.count
      guard free > 0 else { return nil }
      free -= 1
      return ()
    }
  }
  private let state: Monitor<State>
  private let limits: ServerLimits
  private let make: @Sendable () throws(BackendError) -> ServerConnection

  /// Creates a pool; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - size: How many connections at most.
  ///   - limits: How long connections are kept.
  ///   - make: Makes one.
  init(size: Int, _ limits: ServerLimits, _ make: @escaping @Sendable () throws(BackendError) -> ServerConnection) {
    state = Monitor(State(free: size))
    self.limits = limits
    self.make = make
  }

  /// Runs `body` with a connection, which goes back to the pool if it is idle afterwards.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and ``BackendError`` of kind `unavailable` (`database_busy`,
  ///   `server_busy`) when none became free in time.
  func lend<Result>(
    until deadline: ContinuousClock.Instant, _ body: (ServerConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let connection = try borrow(until: deadline)
    defer { giveBack(connection) }
    return try body(connection)
  }

  private func borrow(until deadline: ContinuousClock.Instant) throws(BackendError) -> ServerConnection {
    while true {
      // Nobody reports the end of an abandoned connection, so the wait looks now and then.
      while state.wait(atMost: min(Self.pause, max(.zero, deadline - .now)), { $0.takePlace(limits) }) == nil {
        guard ContinuousClock.now < deadline else {
          throw .unavailable(.databaseBusy, "the database", "all connections to it are in use")
        }
      }
      do throws(BackendError) {
        if let kept = kept() { return kept }
        return try make()
      } catch {
        state.change { $0.free += 1 }
        // The server has no connection to spare: wait for one of this pool, or for another
        // program's.
        guard error.code == BackendError.FailureCode.serverBusy.rawValue, ContinuousClock.now < deadline else {
          throw error
        }
        _ = state.wait(atMost: Self.pause * 10) { $0.idle.isEmpty ? nil : () }
      }
    }
  }

  private static let pause = Duration.milliseconds(20)

  private func giveBack(_ connection: ServerConnection) {
    let isIdle = connection.isIdle
    if !isIdle { connection.abandon() }
    let now = ContinuousClock.now
    // They are closed when the lock is free again.
    let unused = state.change { state -> [Kept] in
      if isIdle {
        state.idle.append((connection, now))
        state.free += 1
      } else {
        state.abandoned.append((connection, now))
      }
      let count = state.idle.prefix { now - $0.since > limits.idle }.count
      defer { state.idle.removeFirst(count) }
      return Array(state.idle.prefix(count))
    }
    withExtendedLifetime(unused) {}
  }

  /// The connection that was used last; those that the server closed meanwhile are dropped.
  private func kept() -> ServerConnection? {
    while let (connection, _) = state.withLock({ $0.idle.popLast() }) {
      if !connection.isGone() { return connection }
    }
    return nil
  }
}
