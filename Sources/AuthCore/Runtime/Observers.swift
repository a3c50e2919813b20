import Guards

/// Whoever is told of changes: a ``Stateful``, a ``GuardedScreen`` or a stream.
protocol Observer: AnyObject, Sendable {
  /// Tells the change. Returns false when there is nobody left to tell.
  func receive(_ change: SessionChange) -> Bool
  /// The store is gone.
  func finish()
  /// Whether there is nobody left to tell.
  var isGone: Bool { get }
}

/// Tells a ``Stateful``.
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
      // Somebody is logged in while a renewal is under way, too; whoever comes then is told so at once.
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

/// Keeps an open ``GuardedScreen`` on the session it was made for.
final class ScreenObserver: Observer {
  private weak let screen: (any GuardedScreen)?
  private let opened: LoggedInSession
  /// The address of the screen, which another one may have once it is gone.
  private let identity: ObjectIdentifier
  /// The key that the screen has; nil once it was dismissed.
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
  /// It does not look at the weak reference, because that can end the life of what it refers to,
  /// and a lock is held here.
  func isInPlace(of other: ScreenObserver) -> Bool {
    identity == other.identity && opened.gate === other.opened.gate
  }

  func receive(_ change: SessionChange) -> Bool {
    guard let screen else { return false }
    switch change.snapshot {
    case .loggedIn(let session), .renewing(let session):
      guard session.gate === opened.gate else { return dismiss(screen) }
      let isNew = handed.withLock { handed in
        // Changes that were decided before the dismissal was told may still be on their way here.
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
    // Every state without this session came after its gate was closed with the reason; a live key without a state belongs to another store.
    if handed.withLock({ $0.take() }) != nil { screen.dismiss(opened.endReason ?? .revoked) }
    return false
  }

  func finish() {
    if let screen { _ = dismiss(screen) }
  }
}

extension SessionCore {
  /// Has a screen follow that session, unless it does so already; of two threads at once, one has
  /// it done.
  func open(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    let observer = ScreenObserver(screen, session)
    while let other = attach(observer, unless: { ($0 as? ScreenObserver)?.isInPlace(of: observer) ?? false }) {
      // While this screen lives, no other one has its address.
      guard other.isGone else { return }
      drop([other])
    }
  }
}
