/// A screen that cannot exist without a session.
///
/// It is made from a key, so nothing in it asks whether somebody is logged in. ``init(_:)`` takes the key from a store, and is nil when nobody is
/// logged in; a screen made so follows the user for as long as it lives: it is handed the new key when the user changes, and told when the
/// session is over and why. The store holds it weakly, and tells it in order and with no lock held, on whichever thread the change
/// happened.
public protocol GuardedScreen: AnyObject, Sendable {
  /// Makes the screen for the user of the key. Hand it to ``SessionStore/open(_:with:)`` to have it follow the user.
  init(session: LoggedInSession)

  /// The user changed, or the session was renewed: this is the key from now on.
  func follow(_ session: LoggedInSession)

  /// The session is over, or the store is gone.
  ///
  /// It comes once, and nothing after it, unless the dismissed screen is opened again: make a new one instead.
  func dismiss(_ reason: EndReason)
}

extension GuardedScreen {
  /// Makes the screen if somebody is logged in, and opens it in the store; nil otherwise: there is nothing to show.
  public init?(_ store: SessionStore) {
    guard let session = store.session else { return nil }
    self.init(session: session)
    store.open(self, with: session)
  }
}
