/// A stronger key: the user is an administrator.
///
/// Only a ``LoggedInSession`` can make one. What counts is the user's present role, also when the
/// key is older than a change of the role. The authority checks the role again in the transaction
/// of the effect.
public struct AdminSession: Hashable, Sendable {
  /// The key of the session at the moment when this key was made.
  public let session: LoggedInSession

  /// Makes the stronger key.
  ///
  /// - Throws: ``RoleError``; the session stays as it is.
  public init(_ session: LoggedInSession) throws(RoleError) {
    if let reason = session.endReason { throw .ended(reason) }
    let newest = session.newest
    guard newest.user.role == .administrator else { throw .notAdministrator(newest.user) }
    self.session = newest
  }
}

/// Why the user is not an administrator.
public enum RoleError: Error, Hashable, Sendable {
  /// This user has another role.
  case notAdministrator(User)
  /// The session is over.
  case ended(EndReason)
}
