import AuthBackend
import AuthCore

/// One's own account, with its balance.
final class ProfileScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads the account.
  func profile(of backend: any Backend) throws(LeaseError<BackendError>) -> Profile {
    try session.withLease { (lease) throws(BackendError) in try backend.profile(under: lease) }
  }

  /// Changes the name that screens show.
  func rename(to name: String, at backend: any Backend) throws(LeaseError<BackendError>) -> Profile {
    try session.withLease { (lease) throws(BackendError) in try backend.rename(to: name, under: lease) }
  }
}
