import AuthBackend

/// At most so many connections to a server, each lent to one transaction at a time.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [ServerConnection] = []
    /// How many more may be lent.
    var free: Int
  }
  private let state: Monitor<State>
  private let make: @Sendable () throws(BackendError) -> ServerConnection

  /// Creates a pool; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - size: How many connections at most.
  ///   - make: Makes one.
  init(size: Int, _ make: @escaping @Sendable () throws(BackendError) -> ServerConnection) {
    state = Monitor(State(free: size))
    self.make = make
  }

  /// Runs `body` with a connection, which goes back to the pool if it is idle afterwards.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, and ``BackendError`` of kind `unavailable` (`database_busy`)
  ///   when none became free in time.
  func lend<Result>(
    until deadline: ContinuousClock.Instant, _ body: (ServerConnection) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let isFree: Void? = state.wait(atMost: max(.zero, deadline - .now)) { state in
      guard state.free > 0 else { return nil }
      state.free -= 1
      return ()
    }
    guard isFree != nil else {
      throw .unavailable(.databaseBusy, "the database", "all connections to it are in use")
    }
    defer { state.change { $0.free += 1 } }
    let connection = if let kept = kept() { kept } else { try make() }
    defer { if connection.isIdle { state.withLock { $0.idle.append(connection) } } }
    return try body(connection)
  }

  /// The connection that was used last; those that the server closed meanwhile are dropped.
  private func kept() -> ServerConnection? {
    while let connection = state.withLock({ $0.idle.popLast() }) {
      if !connection.isGone() { return connection }
    }
    return nil
  }
}
