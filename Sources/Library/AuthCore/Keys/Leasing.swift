// Inlinable, because without it a lease took twice as long from another module (`make bench
// BENCH=guards`).
extension LoggedInSession {
  /// Runs `body` while the session cannot end: a logout waits for `body`, or `body` never starts.
  ///
  /// Keep the body short: only the effect itself. If a lease does not end in time, the logout
  /// reports it as still running. The asynchronous ``SessionStore/logOut(_:within:)`` throws inside
  /// a lease, because it would wait for itself.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session has ended, ``LeaseError/body(_:)`` with
  ///   the error of `body`.
  @inlinable
  public func withLease<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing SessionLease) throws(Failure) -> Result
  ) throws(LeaseError<Failure>) -> Result {
    if let reason = gate.enter() { throw .ended(reason) }
    defer { gate.leave() }
    do { return try body(SessionLease(gate)) } catch { throw .body(error) }
  }

  /// Runs an asynchronous `body` while the session cannot end.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session has ended, ``LeaseError/body(_:)`` with
  ///   the error of `body`.
  @inlinable
  public func withLease<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing SessionLease) async throws(Failure) -> Result
  ) async throws(LeaseError<Failure>) -> Result {
    if let reason = gate.enter(inTask: true) { throw .ended(reason) }
    defer { gate.leave(inTask: true) }
    do { return try await body(SessionLease(gate)) } catch { throw .body(error) }
  }

  /// Runs `body` while the session cannot end, and passes it a noncopyable value to consume, such
  /// as an intent.
  ///
  /// When the session has ended, the value is consumed unused.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session has ended, ``LeaseError/body(_:)`` with
  ///   the error of `body`.
  @inlinable
  public func withLease<Resource: ~Copyable, Result: ~Copyable, Failure: Error>(
    using resource: consuming Resource,
    _ body: (consuming Resource, borrowing SessionLease) throws(Failure) -> Result
  ) throws(LeaseError<Failure>) -> Result {
    if let reason = gate.enter() { throw .ended(reason) }
    defer { gate.leave() }
    do { return try body(resource, SessionLease(gate)) } catch { throw .body(error) }
  }

  /// Runs an asynchronous `body` while the session cannot end, and passes it a noncopyable value to
  /// consume.
  ///
  /// When the session has ended, the value is consumed unused.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session has ended, ``LeaseError/body(_:)`` with
  ///   the error of `body`.
  @inlinable
  public func withLease<Resource: ~Copyable, Result: ~Copyable, Failure: Error>(
    using resource: consuming Resource,
    _ body: (consuming Resource, borrowing SessionLease) async throws(Failure) -> Result
  ) async throws(LeaseError<Failure>) -> Result {
    if let reason = gate.enter(inTask: true) { throw .ended(reason) }
    defer { gate.leave(inTask: true) }
    do { return try await body(resource, SessionLease(gate)) } catch { throw .body(error) }
  }
}
