/// A stronger key: the user is an administrator.
///
/// Only made from a ``LoggedInSession``, and judged by the role that the session's user has by now, also where the key is from
/// before that changed. The authority checks the role again in the transaction of the effect.
public struct AdminSession: Hashable, Sendable {
  /// The key of the session, as it was when this was made.
  public let session: LoggedInSession

  /// Makes the stronger key, or says why not.
  ///
  /// - Throws: ``RoleError``; it leaves the session as it is.
  public init(_ session: LoggedInSession) throws(RoleError) {
    if let reason = session.endReason { throw .ended(reason) }
    let newest = session.newest
    guard newest.user.role == .administrator else { throw .notAdministrator(newest.user) }
    self.session = newest
  }
}

/// Why a session is not an administrator's.
public enum RoleError: Error, Hashable, Sendable {
  /// This user has another role.
  case notAdministrator(User)
  /// The session is over.
  case ended(EndReason)
}
