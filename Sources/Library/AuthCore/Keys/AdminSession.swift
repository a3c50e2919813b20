/// A stronger key: the user is an administrator.
///
/// Create it from a ``LoggedInSession``. It checks the user's current role, even if the key is
/// older than a change of the role. The authority checks the role again in the transaction of the
/// effect.
public struct AdminSession: Hashable, Sendable {
  /// The key of the session when this key was created.
  public let session: LoggedInSession

  /// Creates the stronger key.
  ///
  /// - Throws: ``RoleError``; the session does not change.
  public init(_ session: LoggedInSession) throws(RoleError) {
    if let reason = session.endReason { throw .ended(reason) }
    let newest = session.newest
    guard newest.user.role == .administrator else { throw .notAdministrator(newest.user) }
    self.session = newest
  }
}

/// Why the user is not an administrator.
///
/// Frozen: a later version adds no case.
public enum RoleError: Error, Hashable, Sendable {
  /// This user has another role.
  case notAdministrator(User)
  /// The session has ended.
  case ended(EndReason)
}
