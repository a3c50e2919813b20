/// The user of the session that the vault holds, before the authority has confirmed it.
///
/// It is for display only, such as a greeting while there is no network: it gives no key, no lease
/// and no screen that needs one. It has a different type than ``User``, so that no code takes one
/// for the other. The session may have ended since, and the names may have changed.
public struct LastKnownUser: Hashable, Sendable {
  /// The name for logging in.
  public let username: String
  /// The name that screens show.
  public let displayName: String

  /// Creates a value; for vaults, which save it with a token.
  public init(username: String, displayName: String) {
    self.username = username
    self.displayName = displayName
  }

  init(_ user: User) {
    self.init(username: user.username, displayName: user.displayName)
  }
}
