import AuthBackend
import AuthCore
import AuthLocal

/// The sessions of the user, on every device.
final class SessionsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads the live sessions, newest first.
  func sessions(at authority: LocalAuthority) throws(LeaseError<LocalFailure>) -> [SessionSummary] {
    try session.withLease { (lease) throws(LocalFailure) in try authority.sessions(under: lease) }
  }

  /// Ends one of them.
  func revoke(_ id: SessionID, with fresh: FreshSession, at authority: LocalAuthority) throws(LeaseError<LocalFailure>)
  {
    try session.withLease { (lease) throws(LocalFailure) in
      try authority.revokeSession(id, for: fresh, under: lease)
    }
  }
}
