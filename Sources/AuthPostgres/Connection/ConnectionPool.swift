import AuthBackend

/// At most so many connections to a server, each lent to one transaction at a time.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [PreparedStatements] = []
    /// How many more may be lent.
    var free: Int
  }
  private let state: Monitor<State>
  private let make: @Sendable () throws(ServerFault) -> PreparedStatements

  /// Creates a pool; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - size: How many connections at most.
  ///   - make: Makes one.
  init(size: Int, _ make: @escaping @Sendable () throws(ServerFault) -> PreparedStatements) {
    state = Monitor(State(free: size))
    self.make = make
  }

  /// Runs `body` with a connection, which goes back to the pool if `body` says that it is usable.
  ///
  /// - Returns: Nil when none became free in time.
  func lend<Result>(
    until deadline: ContinuousClock.Instant,
    _ body: (PreparedStatements) throws(ServerFault) -> (Result, isUsable: Bool)
  ) throws(ServerFault) -> Result? {
    let isFree: Void? = state.wait(atMost: max(.zero, deadline - .now)) { state in
      guard state.free > 0 else { return nil }
      state.free -= 1
      return ()
    }
    guard isFree != nil else { return nil }
    defer { state.change { $0.free += 1 } }
    let connection: PreparedStatements
    if let kept = kept() { connection = kept } else { connection = try make() }
    let (result, isUsable) = try body(connection)
    if isUsable { state.withLock { $0.idle.append(connection) } }
    return result
  }

  /// The connection that was used last; those that the server closed meanwhile are dropped.
  private func kept() -> PreparedStatements? {
    while let connection = state.withLock({ $0.idle.popLast() }) {
      if !connection.connection.isGone() { return connection }
    }
    return nil
  }
}
