/// Where the session stands, as screens see it.
///
/// Where there is a session, there is its key.
public enum SessionSnapshot: Hashable, Sendable {
  /// It is not known whether anybody is logged in; the obstacle says why, once it was tried.
  case restoring(RestoreFailure?)
  /// Nobody is logged in.
  case loggedOut(LogoutReason)
  /// The authority has been asked about credentials.
  case authenticating
  /// This user is logged in.
  case loggedIn(LoggedInSession)
  /// This user is logged in, and a renewal, a check or a password is under way.
  case renewing(LoggedInSession)
  /// The session is over, and is being cleared away.
  case loggingOut

  /// The key, while a session stands.
  public var session: LoggedInSession? {
    switch self {
    case .loggedIn(let session), .renewing(let session): session
    case .restoring, .loggedOut, .authenticating, .loggingOut: nil
    }
  }
}

/// One change of a session, as observers are told.
public struct SessionChange: Hashable, Sendable {
  /// Strictly increasing; a subscriber never sees a lower one after a higher one.
  public let revision: UInt64
  /// Where the session stands since.
  public let snapshot: SessionSnapshot
  /// How many changes before this one the subscriber did not get, because it fell behind its bound.
  public var missed = 0
}
