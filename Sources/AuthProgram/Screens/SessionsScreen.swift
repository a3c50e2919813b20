import AuthBackend
import AuthCore

/// The sessions of the user, on every device.
final class SessionsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads the live sessions, newest first.
  func sessions(at backend: any Backend) throws(LeaseError<BackendError>) -> [SessionSummary] {
    try session.withLease { (lease) throws(BackendError) in try backend.sessions(under: lease) }
  }

  /// Ends one of them.
  func revoke(_ id: SessionID, with fresh: FreshSession, at backend: any Backend) throws(LeaseError<BackendError>) {
    try session.withLease { (lease) throws(BackendError) in
      try backend.revokeSession(id, for: fresh, under: lease)
    }
  }

  /// Ends all but this one, and returns how many.
  func revokeOthers(with fresh: FreshSession, at backend: any Backend) throws(LeaseError<BackendError>) -> Int {
    try session.withLease { (lease) throws(BackendError) in
      let others = try backend.sessions(under: lease).filter { !$0.isCurrent }
      for other in others { try backend.revokeSession(other.id, for: fresh, under: lease) }
      return others.count
    }
  }

  /// So many other sessions, in words.
  static func others(_ count: Int) -> String {
    count == 1 ? "your other session" : "your \(count) other sessions"
  }
}
