/// A screen that cannot exist without a session.
///
/// A key makes the screen, so no code in it asks whether somebody is logged in. ``init(_:)`` takes
/// the key from a store, and returns nil when nobody is logged in. Such a screen follows the user
/// for as long as it lives: it gets the new key when the user changes, and a dismissal with the
/// reason when the session is over. The store holds the screen weakly. It calls the screen in order
/// and with no lock held, on whichever thread made the change.
public protocol GuardedScreen: AnyObject, Sendable {
  /// Makes the screen for the user of the key. Pass it to ``SessionStore/open(_:with:)`` to make it
  /// follow the user.
  init(session: LoggedInSession)

  /// The user changed, or the session was renewed: use this key from now on.
  func follow(_ session: LoggedInSession)

  /// The session is over, or the store is gone.
  ///
  /// It comes once, and no other call follows. Do not open a dismissed screen again: make a new
  /// one.
  func dismiss(_ reason: EndReason)
}

extension GuardedScreen {
  /// Makes the screen and opens it in the store, or returns nil when nobody is logged in.
  public init?(_ store: SessionStore) {
    guard let session = store.session else { return nil }
    self.init(session: session)
    store.open(self, with: session)
  }
}
