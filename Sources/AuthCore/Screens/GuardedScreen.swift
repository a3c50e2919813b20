/// A screen that cannot exist without a session.
///
/// A key makes the screen, so no code in it asks whether somebody is logged in. `Screen(store)`
/// takes the key from a store, and is nil when nobody is logged in. Such a screen follows the user
/// for as long as it lives: it gets the new key when the user changes, and a dismissal with the
/// reason when the session is over. The store holds the screen weakly. It calls the screen in order
/// and with no lock held: on the main actor if the class conforms with `@MainActor`, and otherwise,
/// if it is `Sendable`, on whichever thread made the change.
///
/// The compiler holds you to `init(session:)` only. It cannot stop a screen from having another
/// initializer of its own that takes no key: do not write one.
public protocol GuardedScreen: AnyObject {
  /// Makes the screen for the user of the key. Pass it to `SessionStore.open(_:with:)` to make it
  /// follow the user.
  init(session: LoggedInSession)

  /// The user changed, or the session was renewed: use this key from now on.
  func follow(_ session: LoggedInSession)

  /// The session is over, or the store is gone.
  ///
  /// It comes when the keys die; the cleanup of the session may still be under way. It comes once,
  /// and no other call follows. Do not open a dismissed screen again: make a new
  /// one.
  func dismiss(_ reason: EndReason)
}

extension GuardedScreen where Self: Sendable {
  /// Makes the screen and opens it in the store, or returns nil when nobody is logged in.
  ///
  /// A change between the two is told before this returns.
  public init?(_ store: SessionStore) {
    guard let session = store.session else { return nil }
    self.init(session: session)
    store.open(self, with: session)
  }
}

extension GuardedScreen {
  /// Makes a screen of the main actor and opens it in the store, or returns nil when nobody is
  /// logged in.
  @MainActor public init?(_ store: SessionStore) {
    guard let session = store.session else { return nil }
    self.init(session: session)
    store.open(self, with: session)
  }
}
