/// The session is live in this process now, and stays so until the lease ends: a logout waits for it.
///
/// A lease permits effects. It is lent to a closure and cannot be stored, captured by an escaping closure, copied or returned. Across
/// processes the truth is the authority's own check, made in the same transaction as the effect; hand it ``token``.
///
/// It says what the session is at the moment of asking, also under a key from before the user changed or the token was exchanged.
public struct SessionLease: ~Copyable {
  /// Not retained: a lease only exists inside `withLease`, which keeps the key, and with it the record, until its body has returned.
  @usableFromInline let record: Unmanaged<SessionRecord>
  /// Not retained either: the key keeps it too.
  @usableFromInline let gate: Unmanaged<LeaseGate>

  @inlinable
  init(_ record: SessionRecord, _ gate: LeaseGate) {
    self.record = .passUnretained(record)
    self.gate = .passUnretained(gate)
  }

  private var grant: Grant { (gate.takeUnretainedValue().newest ?? record.takeUnretainedValue()).grant }

  /// The user of the session.
  public var user: User { grant.user }
  /// The public name of the session.
  public var sessionID: SessionID { grant.id }
  /// The secret to present to the authority with the effect.
  ///
  /// Read it right before it is used: it may be exchanged meanwhile.
  public var token: SessionToken { grant.token }
}

/// Why work under a lease did not finish.
public enum LeaseError<Body: Error>: Error {
  /// The session is over; the work did not begin.
  case ended(EndReason)
  /// The work itself failed.
  case body(Body)
}

extension LeaseError: Equatable where Body: Equatable {}
