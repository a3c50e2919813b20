import Guards

/// A receiver of changes: a ``Stateful``, a ``GuardedScreen`` or a stream.
protocol Observer: AnyObject, Sendable {
  /// Delivers the change. Returns false when the receiver is gone.
  func receive(_ change: SessionChange) -> Bool
  /// The store is gone.
  func finish()
  /// Whether the receiver is gone.
  var isGone: Bool { get }
  /// The screen that it makes follow its session, if it does that.
  var place: ScreenPlace? { get }
}

extension Observer {
  var place: ScreenPlace? { nil }
}

/// What a ``Stateful`` is told.
struct StatefulNews {
  private var told: LoggedInSession?

  enum Call {
    case loggedIn(LoggedInSession)
    case loggedOut(LogoutReason)
  }

  /// The call that tells this state, or nil when there is nothing to tell.
  mutating func call(for snapshot: SessionSnapshot) -> Call? {
    switch snapshot {
    case .loggedIn(let session), .renewing(let session), .challenged(_, .some(let session)):
      // Somebody is logged in during a renewal, too; an observer that is attached then gets the
      // session at once.
      defer { told = session }
      return told == session ? nil : .loggedIn(session)
    case .loggedOut(let reason):
      told = nil
      return .loggedOut(reason)
    case .restoring, .authenticating, .challenged(_, .none), .loggingOut:
      return nil
    }
  }
}

extension Stateful {
  func take(_ call: StatefulNews.Call) {
    switch call {
    case .loggedIn(let session): loggedIn(session)
    case .loggedOut(let reason): loggedOut(reason)
    }
  }
}

/// Delivers changes to a ``Stateful`` on whichever thread made them.
final class StatefulObserver: Observer {
  private weak let target: (any Stateful & Sendable)?
  private let news = Locked(StatefulNews())

  init(_ target: any Stateful & Sendable) {
    self.target = target
  }

  var isGone: Bool { target == nil }

  func receive(_ change: SessionChange) -> Bool {
    guard let target else { return false }
    if let call = news.withLock({ $0.call(for: change.snapshot) }) { target.take(call) }
    return true
  }

  func finish() {}
}

/// What a ``GuardedScreen`` is told.
struct ScreenNews {
  private let opened: LoggedInSession
  /// The key that the screen has; nil after its dismissal.
  private var handed: LoggedInSession?

  enum Call {
    case follow(LoggedInSession)
    case dismiss(EndReason)
  }

  init(_ opened: LoggedInSession) {
    self.opened = opened
    handed = opened
  }

  /// Whether the screen may still be told something.
  var isOpen: Bool { handed != nil }

  /// The call that tells this state, or nil when there is nothing to tell.
  mutating func call(for snapshot: SessionSnapshot) -> Call? {
    switch snapshot {
    case .loggedIn(let session), .renewing(let session), .challenged(_, .some(let session)):
      guard session.gate === opened.gate else { return dismissal() }
      // Changes from before the dismissal may still arrive.
      guard let handed, handed != session else { return nil }
      self.handed = session
      return .follow(session)
    case .loggingOut:
      return nil
    case .loggedOut, .restoring, .authenticating, .challenged(_, .none):
      return dismissal()
    }
  }

  /// The call that dismisses the screen, once.
  mutating func dismissal() -> Call? {
    guard handed.take() != nil else { return nil }
    // Each state without this session came after its gate was closed with the reason. A live key
    // without a state belongs to another store.
    return .dismiss(opened.endReason ?? .revoked)
  }
}

extension GuardedScreen {
  func take(_ call: ScreenNews.Call) {
    switch call {
    case .follow(let session): follow(session)
    case .dismiss(let reason): dismiss(reason)
    }
  }
}

/// A screen at an address, open in a session.
///
/// Another screen may have the address after this one is gone. To compare places, nobody reads the
/// weak reference to the screen: that can release the last reference to it, and the caller holds a
/// lock.
struct ScreenPlace: Equatable {
  private let screen: ObjectIdentifier
  private let session: ObjectIdentifier

  init(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    self.screen = ObjectIdentifier(screen)
    self.session = ObjectIdentifier(session.gate)
  }
}

/// Makes an open ``GuardedScreen`` follow its session, on whichever thread changes it.
final class ScreenObserver: Observer {
  private weak let screen: (any GuardedScreen & Sendable)?
  let place: ScreenPlace?
  private let news: Locked<ScreenNews>

  init(_ screen: any GuardedScreen & Sendable, _ session: LoggedInSession) {
    self.screen = screen
    place = ScreenPlace(screen, session)
    news = Locked(ScreenNews(session))
  }

  var isGone: Bool { screen == nil }

  func receive(_ change: SessionChange) -> Bool {
    guard let screen else { return false }
    let (call, isOpen) = news.withLock { news in (news.call(for: change.snapshot), news.isOpen) }
    if let call { screen.take(call) }
    return isOpen
  }

  func finish() {
    guard let screen, let call = news.withLock({ $0.dismissal() }) else { return }
    screen.take(call)
  }
}

extension SessionCore {
  /// Makes a screen follow the session, unless it already does; of two threads at once, one
  /// registers it.
  ///
  /// - Parameters:
  ///   - observer: Delivers to the screen.
  ///   - look: Finds out whether the screen of an observer is gone, where the observer itself
  ///     cannot
  ///     tell.
  func open(_ observer: any Observer, _ look: (any Observer) -> Void = { _ in }) {
    while let other = attach(observer, unless: { $0.place == observer.place }) {
      look(other)
      // While this screen lives, no other one has its address.
      guard other.isGone else { return }
      drop([other])
    }
  }
}
