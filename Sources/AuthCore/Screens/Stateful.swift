/// Something that shows whether somebody is logged in, and never has to ask.
///
/// (State pattern: V. Yanchina, 2016.)
///
/// The store holds it weakly and tells it on attaching whether somebody is logged in, and after that what came of every login, logout and
/// change of the user, in order and with no lock held, on whichever thread the change happened. While it is being found out, that
/// is while a session is restored, begun or cleared away, nothing is told. It may use the store from inside; what it causes
/// follows after the present change.
public protocol Stateful: AnyObject, Sendable {
  /// Somebody is logged in, or their key changed.
  func loggedIn(_ session: LoggedInSession)
  /// Nobody is logged in.
  ///
  /// The logout before has done what it could: what it had to leave is in its ``LogoutResult``. It is told again when a login
  /// failed.
  func loggedOut(_ reason: LogoutReason)
}
