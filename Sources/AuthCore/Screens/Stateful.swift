/// An observer that shows whether somebody is logged in.
///
/// (State pattern: V. Yanchina, 2016.)
///
/// The store holds the observer weakly. It calls the observer when it is attached, and after every
/// login, logout and change of the user: in order, with no lock held, on whichever thread made the
/// change. It makes no call while a session is restored, begun or cleaned up. The observer may give
/// commands to the store; their changes follow after the present one.
public protocol Stateful: AnyObject, Sendable {
  /// A user is logged in, or their key changed.
  func loggedIn(_ session: LoggedInSession)
  /// Nobody is logged in.
  ///
  /// The previous logout is done; its ``LogoutResult`` says what it could not clean up. The call
  /// comes again when a login failed.
  func loggedOut(_ reason: LogoutReason)
}
