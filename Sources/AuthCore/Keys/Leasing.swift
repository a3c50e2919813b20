extension LoggedInSession {
  /// Runs `body` while the session cannot end: a logout waits for it, or `body` never starts.
  ///
  /// A lease that does not end in time is reported by the logout as still running; keep it to the effect itself. The asynchronous
  /// ``SessionStore/logOut()`` refuses to run inside, because it would wait for itself.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session is over, ``LeaseError/body(_:)`` with what `body` threw.
  @inlinable
  public func withLease<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing SessionLease) throws(Failure) -> Result
  ) throws(LeaseError<Failure>) -> Result {
    let running = try LeaseHold.begin(self, Failure.self)
    do {
      return try body(running.lease)
    } catch {
      throw .body(error)
    }
  }

  /// Runs an asynchronous `body` while the session cannot end.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session is over, ``LeaseError/body(_:)`` with what `body` threw.
  @inlinable
  public func withLease<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing SessionLease) async throws(Failure) -> Result
  ) async throws(LeaseError<Failure>) -> Result {
    let running = try LeaseHold.begin(self, Failure.self)
    do {
      return try await body(running.lease)
    } catch {
      throw .body(error)
    }
  }

  /// Runs `body` while the session cannot end, and hands it a noncopyable value to consume, such as an intent.
  ///
  /// When the session is over the value is consumed unused.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session is over, ``LeaseError/body(_:)`` with what `body` threw.
  @inlinable
  public func withLease<Resource: ~Copyable, Result: ~Copyable, Failure: Error>(
    using resource: consuming Resource,
    _ body: (consuming Resource, borrowing SessionLease) throws(Failure) -> Result
  ) throws(LeaseError<Failure>) -> Result {
    let running = try LeaseHold.begin(self, Failure.self)
    do {
      return try body(resource, running.lease)
    } catch {
      throw .body(error)
    }
  }

  /// Runs an asynchronous `body` while the session cannot end, and hands it a noncopyable value to consume.
  ///
  /// When the session is over the value is consumed unused.
  ///
  /// - Throws: ``LeaseError/ended(_:)`` when the session is over, ``LeaseError/body(_:)`` with what `body` threw.
  @inlinable
  public func withLease<Resource: ~Copyable, Result: ~Copyable, Failure: Error>(
    using resource: consuming Resource,
    _ body: (consuming Resource, borrowing SessionLease) async throws(Failure) -> Result
  ) async throws(LeaseError<Failure>) -> Result {
    let running = try LeaseHold.begin(self, Failure.self)
    do {
      return try await body(resource, running.lease)
    } catch {
      throw .body(error)
    }
  }
}

/// A place taken at the gate, given back at the end of its life.
@usableFromInline struct LeaseHold: ~Copyable {
  @usableFromInline let lease: SessionLease
  @usableFromInline let gate: LeaseGate
  @usableFromInline let place: LeaseGate.Place

  private init(_ session: LoggedInSession, _ place: LeaseGate.Place) {
    lease = SessionLease(session.record)
    gate = session.gate
    self.place = place
  }

  @usableFromInline static func begin<Failure: Error>(
    _ session: LoggedInSession, _: Failure.Type
  ) throws(LeaseError<Failure>) -> LeaseHold {
    do {
      return LeaseHold(session, try session.gate.enter())
    } catch {
      throw .ended(error.reason)
    }
  }

  // Inlinable like its users: Swift 6.3 stops on an assertion, in a release build, when this alone is not.
  @inlinable deinit {
    gate.leave(place)
  }
}
