import Guards
import Synchronization

/// A subscriber: a ``SessionObserver``, a ``GuardedScreen`` or a stream.
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

  /// Where and how the observer is notified.
  ///
  /// The closure returns false when the observer needs no more notifications.
  enum Teller: Sendable {
    /// On the thread that made the change.
    case anywhere(@Sendable (News) -> Bool)
    case onMainActor(@MainActor @Sendable (News) -> Bool)
  }

  /// The screen that the observer notifies, if it is the observer of a screen.
  let place: ScreenPlace?
  private let teller: Teller
  private let news = OrderedQueue<News>()
  private let isDone = Atomic<Bool>(false)

  /// The address of the observed ``SessionObserver``, to detach it.
  let address: ObjectIdentifier?

  init(_ teller: Teller, at place: ScreenPlace? = nil, of address: ObjectIdentifier? = nil) {
    self.teller = teller
    self.place = place
    self.address = address
  }

  /// Adds a notification, which the next call of `tell` or `greet` delivers.
  func add(_ next: News) {
    news.add(next)
  }

  /// Delivers the added notifications: here, or soon on the main actor.
  func tell(_ inbox: MainActorInbox) {
    switch teller {
    case .anywhere(let tell): news.handle { if !isFinished, !tell($0) { finish() } }
    case .onMainActor: inbox.put { self.tellOnMainActor() }
    }
  }

  /// Delivers the added notifications to an observer of the main actor.
  @MainActor func tellOnMainActor() {
    guard case .onMainActor(let tell) = teller else { return }
    news.handle { if !isFinished, !tell($0) { finish() } }
  }

  /// Whether the observer needs no more notifications.
  ///
  /// Call it without a lock: reading a weak reference can release the last reference to its object.
  /// For an object of the main actor, only ``look()`` reads it, on the main actor.
  var isGone: Bool {
    if case .anywhere(let tell) = teller, !tell(.nothing) { finish() }
    return isFinished
  }

  private var isFinished: Bool { isDone.load(ordering: .acquiring) }

  /// Checks whether an object of the main actor still exists.
  @MainActor func look() {
    if case .onMainActor(let tell) = teller, !tell(.nothing) { finish() }
  }

  func finish() { isDone.store(true, ordering: .releasing) }
}

/// Remembers the last call of a ``SessionObserver``, to choose the next one.
final class ObserverCalls: Sendable {
  private let told = Locked<LoggedInSession?>(nil)

  /// Makes the call for this notification, if one is needed.
  func tell(_ stateful: any SessionObserver, _ news: Observer.News) -> Bool {
    guard case .change(let change) = news else { return true }
    switch change.snapshot {
    case .loggedIn(let session), .renewing(let session), .challenged(_, .some(let session)):
      let isNew = told.withLock { told in
        defer { told = session }
        return told != session
      }
      if isNew { stateful.loggedIn(session) }
    case .loggedOut(let reason):
      told.withLock { $0 = nil }
      stateful.loggedOut(reason)
    case .restoring, .authenticating, .challenged(_, .none), .loggingOut:
      break
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

/// A screen at an address, open in a session.
///
/// Another screen may have the address after this one is released. Comparing places does not read
/// the weak reference to the screen: that can release the last reference to it, and the caller
/// holds a lock.
struct ScreenPlace: Equatable {
  private let screen: ObjectIdentifier
  private let session: ObjectIdentifier

  init(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    self.screen = ObjectIdentifier(screen)
    self.session = ObjectIdentifier(session.gate)
  }
}

extension SessionCore {
  /// Notifies a ``SessionObserver`` of the current state before this returns, and of each later
  /// change.
  func attach(_ observed: some SessionObserver & Sendable) {
    let calls = ObserverCalls()
    let observer = Observer(
      .anywhere { [weak observed] news in
        guard let observed else { return false }
        return calls.tell(observed, news)
      }, of: ObjectIdentifier(observed))
    register(observer)
    observer.tell(inbox)
  }

  /// Notifies a ``SessionObserver`` of the main actor of the current state before this returns, and
  /// of each later change.
  @MainActor func attachOnMainActor(_ observed: some SessionObserver) {
    lookAround()
    let calls = ObserverCalls()
    let observer = Observer(
      .onMainActor { [weak observed] news in
        guard let observed else { return false }
        return calls.tell(observed, news)
      }, of: ObjectIdentifier(observed))
    register(observer)
    observer.tellOnMainActor()
  }

  /// Stops the notifications of an observer.
  func detach(_ observer: some SessionObserver) {
    let address = ObjectIdentifier(observer)
    let detached = withLock { $0.observers.filter { $0.address == address } }
    for observer in detached { observer.finish() }
    drop(detached)
  }

  /// Makes a screen follow the session, unless it already does.
  func open(_ screen: some GuardedScreen & Sendable, _ session: LoggedInSession) {
    let calls = ScreenCalls(session)
    let teller = Observer.Teller.anywhere { [weak screen] news in
      guard let screen else { return false }
      return calls.tell(screen, news)
    }
    let observer = Observer(teller, at: ScreenPlace(screen, session))
    open(observer)
    observer.tell(inbox)
  }

  /// Makes a screen of the main actor follow the session, unless it already does.
  @MainActor func openOnMainActor(_ screen: some GuardedScreen, _ session: LoggedInSession) {
    lookAround()
    let calls = ScreenCalls(session)
    let teller = Observer.Teller.onMainActor { [weak screen] news in
      guard let screen else { return false }
      return calls.tell(screen, news)
    }
    let observer = Observer(teller, at: ScreenPlace(screen, session))
    open(observer) { $0.look() }
    observer.tellOnMainActor()
  }

  /// Registers the observer of a screen, unless the screen has one; of two simultaneous calls, only
  /// one registers it.
  private func open(_ observer: Observer, _ look: (Observer) -> Void = { _ in }) {
    while let other = register(observer, unless: { $0.place == observer.place }) {
      look(other)
      // While this screen exists, no other screen has its address.
      guard other.isGone else { return }
      drop([other])
    }
  }

  /// Finds the observers of the main actor without objects, before the store removes them.
  @MainActor private func lookAround() {
    for observer in withLock({ $0.observers.count >= $0.crowded ? $0.observers : [] }) { observer.look() }
  }
}
