/// A stronger key: the user is an administrator.
///
/// Only made from a ``LoggedInSession``. The authority checks the role again in the transaction of the effect.
public struct AdminSession: Hashable, Sendable {
  /// The key it was made from.
  public let session: LoggedInSession

  /// Makes the stronger key, or says why not.
  ///
  /// - Throws: ``RoleRefusal``; it leaves the session as it is.
  public init(_ session: LoggedInSession) throws(RoleRefusal) {
    if let reason = session.endReason { throw .ended(reason) }
    guard session.user.role == .administrator else { throw .notAdministrator(session.user) }
    self.session = session
  }
}

/// Why a session is not an administrator's.
public enum RoleRefusal: Error, Hashable, Sendable {
  /// This user has another role.
  case notAdministrator(User)
  /// The session is over.
  case ended(EndReason)
}
