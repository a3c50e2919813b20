/// Something that shows whether somebody is logged in, and never has to ask.
///
/// (State pattern: V. Yanchina, 2016.)
///
/// The store holds it weakly, tells it the present state on attaching, and every change after that, in order and with no lock
/// held, on whichever thread the change happened. It may use the store from inside; what it causes follows after the present change.
public protocol Stateful: AnyObject, Sendable {
  /// Somebody is logged in, or their key changed.
  func loggedIn(_ session: LoggedInSession)
  /// Nobody is logged in, and the session before is cleared away.
  func loggedOut(_ reason: LogoutReason)
}
