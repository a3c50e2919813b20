/// The state of the session, as screens see it.
///
/// The states with a session carry its key. Frozen: a later version adds no case.
public enum SessionSnapshot: Hashable, Sendable {
  /// It is not yet known whether a user is logged in; after a failed attempt, the payload says why.
  ///
  /// The last known user is for display only; nil until the vault was read, or if it knows none.
  case restoring(RestoreFailure?, lastKnown: LastKnownUser? = nil)
  /// Nobody is logged in.
  case loggedOut(LogoutReason)
  /// A login is under way.
  case authenticating
  /// The authority requires a second step of a login, or, while this user stays logged in, of a
  /// password check or a switch of users.
  case challenged(Challenge, LoggedInSession?)
  /// This user is logged in.
  case loggedIn(LoggedInSession)
  /// This user is logged in, and a renewal, a check, a password check or a switch of users is under
  /// way.
  case renewing(LoggedInSession)
  /// The session has ended, for this reason, and its cleanup is under way.
  case loggingOut(EndReason)

  /// The key, while a user is logged in.
  public var session: LoggedInSession? {
    switch self {
    case .loggedIn(let session), .renewing(let session): session
    case .challenged(_, let session): session
    case .restoring, .loggedOut, .authenticating, .loggingOut: nil
    }
  }

  /// The user whose session the vault holds, while the authority has not confirmed it.
  public var lastKnownUser: LastKnownUser? {
    if case .restoring(_, let user) = self { user } else { nil }
  }
}

extension SessionSnapshot {
  /// Creates the snapshot of a state, with the key of its session.
  init(_ state: SessionState, _ key: LoggedInSession?) {
    self =
      switch (state, key) {
      case (.restoring(let state), _): .restoring(state.obstacle, lastKnown: state.lastKnown)
      case (.loggedOut(let state), _): .loggedOut(state.reason)
      case (.authenticating, _): .authenticating
      case (.challenged(let state), let key): .challenged(state.challenge, key)
      case (.loggedIn, .some(let key)): .loggedIn(key)
      case (.renewing(let state), .some(let key)):
        state.beside.map { .challenged($0.challenge, key) } ?? .renewing(key)
      case (.loggingOut(let state), _): .loggingOut(state.reason)
      case (.loggedIn, .none), (.renewing, .none):
        // The step that makes a session active also creates its gate.
        preconditionFailure("a live session without a gate")
      }
  }
}

/// One change of a session, as observers get it.
public struct SessionChange: Hashable, Sendable {
  /// Strictly increasing: a subscriber never sees a lower number after a higher one.
  public let revision: UInt64
  /// The state after the change.
  public let snapshot: SessionSnapshot
  /// The number of changes right before this one that the subscriber missed, because it fell behind
  /// its limit.
  public var missed = 0
}
