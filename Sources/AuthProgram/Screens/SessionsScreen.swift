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
}
