/// Proof that the session is active in this process, and stays active until the lease ends.
///
/// A logout waits for the lease. A lease permits effects. A closure borrows it and cannot store,
/// copy or return it, or capture it in an escaping closure. Other processes may end the session
/// meanwhile, so the authority checks again in the transaction of the effect: give it ``token``.
///
/// It always has the present user and token, also when the key is older than a change of either.
public struct SessionLease: ~Copyable {
  @usableFromInline let session: LoggedInSession

  @inlinable
  init(_ session: LoggedInSession) {
    self.session = session
  }

  private var grant: Grant { session.newest.record.grant }

  /// The user of the session.
  public var user: User { grant.user }
  /// The public name of the session.
  public var sessionID: SessionID { grant.id }
  /// The secret to send to the authority with the effect.
  ///
  /// It is lent, and cannot leave the closure. Read it right before you use it: it may change
  /// meanwhile.
  public var token: LentToken {
    _read { yield LentToken(grant.token) }
  }
  /// The same for a backend of this package, whose operations take a token after they checked the
  /// lease.
  package var sessionToken: SessionToken { grant.token }
}

/// Why work under a lease did not finish.
public enum LeaseError<Body: Error>: Error {
  /// The session is over; the work did not begin.
  case ended(EndReason)
  /// The work itself failed.
  case body(Body)
}

extension LeaseError: Equatable where Body: Equatable {}
