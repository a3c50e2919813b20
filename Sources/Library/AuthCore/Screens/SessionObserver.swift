/// An observer that shows whether a user is logged in.
///
/// (State pattern: V. Yanchina, 2016, where its name is `Stateful`.)
///
/// The store holds the observer weakly. It calls the observer when it is attached, and after every
/// login, logout and change of the user: in order, and with no lock held. It makes no call while a
/// session is restored, begun or cleaned up. The observer may send commands to the store; their
/// changes follow after the current one.
///
/// A class of the main actor conforms with `@MainActor`, and is called on the main actor:
///
/// ```swift
/// import AuthCore
///
/// @MainActor final class Header: @MainActor SessionObserver {
///   var title = ""
///
///   func loggedIn(_ session: LoggedInSession) { title = session.user.displayName }
///   func loggedOut(_ reason: LogoutReason) { title = "Welcome" }
/// }
/// ```
///
/// A class that is `Sendable` is called on the thread that made the change. See
/// `SessionStore.attach(_:)`.
public protocol SessionObserver: AnyObject {
  /// A user is logged in, or their key changed.
  func loggedIn(_ session: LoggedInSession)
  /// Nobody is logged in.
  ///
  /// The previous logout is done; its ``LogoutResult`` says what it could not clean up. The call is
  /// repeated after a failed login.
  func loggedOut(_ reason: LogoutReason)
}
