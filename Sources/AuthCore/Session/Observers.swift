/// Whoever is told of changes: a ``Stateful``, a ``GuardedScreen`` or a stream.
protocol Observer: AnyObject, Sendable {
  /// Tells the change. Returns false when there is nobody left to tell.
  func receive(_ change: SessionChange) -> Bool
  /// The store is gone.
  func finish()
}

/// Tells a ``Stateful``.
final class StatefulObserver: Observer {
  private weak let target: (any Stateful)?

  init(_ target: any Stateful) {
    self.target = target
  }

  func receive(_ change: SessionChange) -> Bool {
    guard let target else { return false }
    switch change.snapshot {
    case .loggedIn(let session): target.loggedIn(session)
    case .loggedOut(let reason): target.loggedOut(reason)
    case .restoring, .authenticating, .renewing, .loggingOut: break
    }
    return true
  }

  func finish() {}
}

/// Keeps an open ``GuardedScreen`` on the session it was opened with.
final class ScreenObserver: Observer {
  private weak let screen: (any GuardedScreen)?
  private let opened: LoggedInSession
  private let handed: Locked<LoggedInSession?>

  init(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    self.screen = screen
    opened = session
    handed = Locked(session)
  }

  func receive(_ change: SessionChange) -> Bool {
    guard let screen else { return false }
    switch change.snapshot {
    case .loggedIn(let session), .renewing(let session):
      guard session.gate === opened.gate else { return dismiss(screen) }
      let isNew = handed.withLock { handed in
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
    // Every state without this session came after its gate was closed with the reason.
    screen.dismiss(opened.endReason ?? .revoked)
    return false
  }

  func finish() {}
}
