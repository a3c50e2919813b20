/// Proof that the session is active in this process, and stays active until the lease ends.
///
/// A logout waits for the lease, so a lease permits effects. A closure borrows it and cannot store,
/// copy or return it, or capture it in an escaping closure. Other processes may end the session
/// meanwhile, so pass ``token`` to the authority, which checks again in the transaction of the
/// effect.
///
/// It always has the current user and token, even if the key is older than a change of either.
public struct SessionLease: ~Copyable {
  // The gate and not the key, whose content would be copied: a lease took 3 times as long (`make
  // bench BENCH=guards`).
  // Safe: the key that lends the lease holds the gate until `withLease` returns, and no lease
  // outlives that.
  @usableFromInline unowned(unsafe) let gate: LeaseGate

  @inlinable
  init(_ gate: LeaseGate) {
    self.gate = gate
  }

  private var grant: Grant { gate.record.grant }

  /// The user of the session.
  public var user: User { grant.user }
  /// The public name of the session.
  package var sessionID: SessionID { grant.id }
  /// The secret to send to the authority with the effect.
  ///
  /// It cannot leave the closure. Read it right before you use it, because it may change.
  public var token: LentToken {
    _read { yield LentToken(bytes: grant.token.bytes) }
  }
  /// The same token for a backend of this package, whose operations take a token after they checked
  /// the lease.
  package var sessionToken: SessionToken { grant.token }
}

/// Why work under a lease did not finish.
///
/// Frozen: a later version adds no case.
public enum LeaseError<Body: Error>: Error {
  /// The session has ended; the work did not start.
  case ended(EndReason)
  /// The work itself failed.
  case body(Body)
}

extension LeaseError: Equatable where Body: Equatable {}
