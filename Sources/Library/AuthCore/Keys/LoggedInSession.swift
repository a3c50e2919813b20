/// The key: proof that this user logged in.
///
/// A key has no public initializer and no decoder: only a ``SessionStore`` creates one, from a
/// session that an authority granted. So a function that takes a key needs no check. A key opens
/// screens; an effect needs the ``SessionLease`` that `withLease` lends. (Locks and keys: J.
/// Sundell, "Managing objects using Locks and Keys in Swift", 2018.)
///
/// A key is a snapshot: when the user's name changes, open screens get a new one. Copies are the
/// same key: after the logout, ``isLive`` is false for each copy.
public struct LoggedInSession: Sendable {
  let record: SessionRecord
  @usableFromInline let gate: LeaseGate

  /// The user who logged in.
  public var user: User { record.grant.user }
  /// The public name of the session.
  public var id: SessionID { record.grant.id }
  /// The limits of the session when the key was created.
  public var limits: SessionLimits { record.grant.limits }

  /// Whether the session is still active in this process.
  ///
  /// The session may end before you act on this; for an effect, take a lease.
  public var isLive: Bool { !gate.isClosed }
  /// Why the session has ended, or nil while it is active.
  public var endReason: EndReason? { gate.reason }

  /// The newest key of the session: this one, if nothing has changed since it was created.
  var newest: LoggedInSession { LoggedInSession(record: gate.record, gate: gate) }
}

/// Keys are equal if they have the same session and the same content.
extension LoggedInSession: Hashable {}

extension LoggedInSession: Redacted {
  /// The user and whether the key is live; never the token.
  public var description: String { "LoggedInSession(\(user.username), \(isLive ? "live" : "over"))" }
}
