import AuthBackend
import AuthCore
import AuthLocal

/// One's own account, with its balance.
final class ProfileScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads the account.
  func profile(of authority: LocalAuthority) throws(LeaseError<LocalFailure>) -> Profile {
    try session.withLease { (lease) throws(LocalFailure) in try authority.profile(under: lease) }
  }

  /// Changes the name that screens show.
  func rename(to name: String, at authority: LocalAuthority) throws(LeaseError<LocalFailure>) -> Profile {
    try session.withLease { (lease) throws(LocalFailure) in try authority.rename(to: name, under: lease) }
  }
}
