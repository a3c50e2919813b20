/// The session is live in this process now, and stays so until the lease ends: a logout waits for it.
///
/// A lease permits effects. It is lent to a closure and cannot be stored, captured by an escaping closure, copied or returned. Across
/// processes the truth is the authority's own check, made in the same transaction as the effect; hand it ``token``.
public struct SessionLease: ~Copyable {
  private let record: SessionRecord

  init(_ record: SessionRecord) {
    self.record = record
  }

  /// The user of the session.
  public var user: User { record.grant.user }
  /// The public name of the session.
  public var sessionID: SessionID { record.grant.id }
  /// The secret to present to the authority with the effect.
  public var token: SessionToken { record.grant.token }
}

/// Why work under a lease did not finish.
public enum LeaseError<Body: Error>: Error {
  /// The session is over; the work did not begin.
  case ended(EndReason)
  /// The work itself failed.
  case body(Body)
}

extension LeaseError: Equatable where Body: Equatable {}
