import ConcurrencyKit
import Synchronization

/// A subscriber: a ``SessionObserver``, a ``GuardedScreen`` with its live key, or a stream of
/// transitions.
///
/// It gets the state at its registration and then each change, one at a time and in order.
final class Observer: Sendable {
  /// A notification for an observer.
  enum News: Sendable {
    case change(SessionChange)
    /// The store was released.
    case end
    /// No change: the store only checks whether the observer still exists.
    case nothing
  }

  /// A ``SessionObserver``, or a screen that is open in a session, by its address.
  ///
  /// Another object may have the address after this one is released. Comparing targets does not
  /// read the weak reference to the object: that can release the last reference to it, and the
  /// caller holds a lock.
  struct Target: Equatable {
    private let object: ObjectIdentifier
    private let session: ObjectIdentifier?

    init(_ object: AnyObject, _ session: LoggedInSession? = nil) {
      self.object = ObjectIdentifier(object)
      self.session = session.map { ObjectIdentifier($0.gate) }
    }

    var isScreen: Bool { session != nil }
  }

  /// What it notifies; nil for a stream.
  let target: Target?
  private let isOnMainActor: Bool
  /// Returns false when the observer needs no more notifications.
  private let call: @Sendable (News) -> Bool
  /// Closed until ``begin()``, so that no other thread makes the first call.
  private let news = OrderedQueue<News>(isClosed: true)
  private let isDone = Atomic<Bool>(false)

  /// Creates an observer that is notified on the thread that made the change.
  init(of target: Target? = nil, isOnMainActor: Bool = false, _ call: @escaping @Sendable (News) -> Bool) {
    self.target = target
    self.isOnMainActor = isOnMainActor
    self.call = call
  }

  /// Creates an observer that notifies an object for as long as it lives.
  convenience init<Object: AnyObject & Sendable>(
    _ object: Object, in session: LoggedInSession? = nil, _ call: @escaping @Sendable (Object, News) -> Bool
  ) {
    self.init(of: Target(object, session)) { [weak object] news in object.map { call($0, news) } ?? false }
  }

  /// Creates an observer that notifies an object on the main actor for as long as it lives.
  @MainActor convenience init<Object: AnyObject>(
    onMainActor object: Object, in session: LoggedInSession? = nil,
    _ call: @escaping @MainActor @Sendable (Object, News) -> Bool
  ) {
    let tell: @MainActor @Sendable (News) -> Bool = { [weak object] news in object.map { call($0, news) } ?? false }
    self.init(of: Target(object, session), isOnMainActor: true) { news in MainActor.assumeIsolated { tell(news) } }
  }

  /// Adds a notification, which the next delivery makes.
  func add(_ next: News) {
    news.add(next)
  }

  /// Delivers the added notifications: here, or soon on the main actor.
  func tell(_ inbox: MainActorInbox) {
    if isOnMainActor { inbox.put { self.deliver() } } else { deliver() }
  }

  /// Delivers the added notifications here; call it on the main actor for an object of that.
  func deliver() {
    news.handle(take)
  }

  /// Delivers the first notification here, even while another thread notifies observers.
  ///
  /// Nothing is delivered before.
  func begin() {
    news.open(take)
  }

  /// Whether it is an observer of the main actor with notifications that were not delivered.
  var isBehindOnMainActor: Bool { isOnMainActor && !news.isIdle }

  private func take(_ next: News) {
    if !isFinished, !call(next) { finish() }
  }

  /// Whether the observer needs no more notifications.
  ///
  /// Call it without a lock: reading a weak reference can release the last reference to its object.
  /// For an object of the main actor, only ``check()`` reads it, on the main actor.
  var isGone: Bool {
    if !isOnMainActor { check() }
    return isFinished
  }

  private var isFinished: Bool { isDone.load(ordering: .acquiring) }

  /// Checks whether the object still exists; call it on the main actor for an object of that.
  func check() {
    if !call(.nothing) { finish() }
  }

  func finish() { isDone.store(true, ordering: .releasing) }
}

/// Remembers the last call of a ``SessionObserver``, to choose the next one.
final class ObserverCalls: Sendable {
  private let told = Locked<LoggedInSession?>(nil)

  /// Makes the call for this notification, if one is needed.
  func tell(_ stateful: any SessionObserver, _ news: Observer.News) -> Bool {
    guard case .change(let change) = news else { return true }
    if let session = change.snapshot.session {
      let isNew = told.withLock { told in
        defer { told = session }
        return told != session
      }
      if isNew { stateful.loggedIn(session) }
    } else if case .loggedOut(let reason) = change.snapshot {
      told.withLock { $0 = nil }
      stateful.loggedOut(reason)
    }
    return true
  }
}

/// Remembers the key of a ``GuardedScreen``, to choose the next call.
final class ScreenCalls: Sendable {
  private let opened: LoggedInSession
  /// The key that the screen has; nil after its dismissal.
  private let handed: Locked<LoggedInSession?>

  init(_ opened: LoggedInSession) {
    self.opened = opened
    handed = Locked(opened)
  }

  /// Makes the call for this notification, if one is needed.
  ///
  /// - Returns: Whether the screen is still open.
  func tell(_ screen: any GuardedScreen, _ news: Observer.News) -> Bool {
    switch news {
    case .nothing: break
    case .end: dismiss(screen)
    case .change(let change):
      if let session = change.snapshot.session, session.gate === opened.gate {
        follow(session, screen)
      } else {
        dismiss(screen)
      }
    }
    return handed.withLock { $0 != nil }
  }

  private func follow(_ session: LoggedInSession, _ screen: any GuardedScreen) {
    let isNew = handed.withLock { handed in
      // Changes from before the dismissal can still arrive.
      guard let present = handed, present != session else { return false }
      handed = session
      return true
    }
    if isNew { screen.follow(session) }
  }

  private func dismiss(_ screen: any GuardedScreen) {
    guard handed.withLock({ $0.take() }) != nil else { return }
    // The gate is closed with the reason before a state without this session appears. So a live key
    // without a state belongs to another store.
    screen.dismiss(opened.endReason ?? .revoked)
  }
}
