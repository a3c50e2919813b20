import Guards

/// A receiver of changes: a ``Stateful``, a ``GuardedScreen`` or a stream.
protocol Observer: AnyObject, Sendable {
  /// Delivers the change. Returns false when the receiver is gone.
  func receive(_ change: SessionChange) -> Bool
  /// The store is gone.
  func finish()
  /// Whether the receiver is gone.
  var isGone: Bool { get }
}

/// Delivers changes to a ``Stateful``.
final class StatefulObserver: Observer {
  private weak let target: (any Stateful)?
  private let told = Locked<LoggedInSession?>(nil)

  init(_ target: any Stateful) {
    self.target = target
  }

  var isGone: Bool { target == nil }

  func receive(_ change: SessionChange) -> Bool {
    guard let target else { return false }
    switch change.snapshot {
    case .loggedIn(let session), .renewing(let session):
      // Somebody is logged in during a renewal, too; an observer that is attached then gets the
      // session at once.
      if tells(session) { target.loggedIn(session) }
    case .loggedOut(let reason):
      _ = tells(nil)
      target.loggedOut(reason)
    case .restoring, .authenticating, .loggingOut:
      break
    }
    return true
  }

  private func tells(_ session: LoggedInSession?) -> Bool {
    told.withLock { told in
      defer { told = session }
      return told != session
    }
  }

  func finish() {}
}

/// Makes an open ``GuardedScreen`` follow its session.
final class ScreenObserver: Observer {
  private weak let screen: (any GuardedScreen)?
  private let opened: LoggedInSession
  /// The address of the screen.
  ///
  /// Another screen may have it after this one is gone.
  private let identity: ObjectIdentifier
  /// The key that the screen has; nil after its dismissal.
  private let handed: Locked<LoggedInSession?>

  init(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    self.screen = screen
    opened = session
    identity = ObjectIdentifier(screen)
    handed = Locked(session)
  }

  var isGone: Bool { screen == nil }

  /// Whether both are for one session and for screens at one address.
  ///
  /// It does not read the weak reference, because the caller holds a lock, and reading can release
  /// the last reference to the screen.
  func isInPlace(of other: ScreenObserver) -> Bool {
    identity == other.identity && opened.gate === other.opened.gate
  }

  func receive(_ change: SessionChange) -> Bool {
    guard let screen else { return false }
    switch change.snapshot {
    case .loggedIn(let session), .renewing(let session):
      guard session.gate === opened.gate else { return dismiss(screen) }
      let isNew = handed.withLock { handed in
        // Changes from before the dismissal may still arrive.
        guard handed != nil else { return false }
        defer { handed = session }
        return handed != session
      }
      if isNew { screen.follow(session) }
      return true
    case .loggingOut:
      return true
    case .loggedOut, .restoring, .authenticating:
      return dismiss(screen)
    }
  }

  private func dismiss(_ screen: any GuardedScreen) -> Bool {
    // Each state without this session came after its gate was closed with the reason. A live key
    // without a state belongs to another store.
    if handed.withLock({ $0.take() }) != nil { screen.dismiss(opened.endReason ?? .revoked) }
    return false
  }

  func finish() {
    if let screen { _ = dismiss(screen) }
  }
}

extension SessionCore {
  /// Makes a screen follow the session, unless it already does; of two threads at once, one
  /// registers it.
  func open(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    let observer = ScreenObserver(screen, session)
    while let other = attach(observer, unless: { ($0 as? ScreenObserver)?.isInPlace(of: observer) ?? false }) {
      // While this screen lives, no other one has its address.
      guard other.isGone else { return }
      drop([other])
    }
  }
}
