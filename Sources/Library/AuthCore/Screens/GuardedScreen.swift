/// A screen that cannot exist without a session.
///
/// The screen is created from a key, so its code never checks whether a user is logged in.
/// `SessionStore.open(_:)` takes the key from a store, and is nil when nobody is logged in. Such a
/// screen follows the user for as long as it lives: it gets the new key when the user changes, and
/// a dismissal with the reason when the session ends. The store holds the screen weakly. It calls
/// the screen in order and with no lock held: on the main actor if the class conforms with
/// `@MainActor`; on the thread that made the change if the class is `Sendable`.
///
/// The compiler requires `init(session:)`, but cannot prevent another initializer without a key: do
/// not write one.
public protocol GuardedScreen: AnyObject {
  /// Creates the screen for the user of the key; `SessionStore.open(_:)` calls it, and makes the
  /// screen follow the user.
  init(session: LoggedInSession)

  /// The user changed, or the session was renewed: use this key from now on.
  func follow(_ session: LoggedInSession)

  /// Closes the screen, because the session has ended or the store was released.
  ///
  /// The call comes when the keys die; the cleanup of the session may still be under way. It comes
  /// once, and no other call follows. Do not open a dismissed screen again: create a new one.
  func dismiss(_ reason: EndReason)
}
