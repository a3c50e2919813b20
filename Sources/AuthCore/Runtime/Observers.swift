import Guards
import Synchronization

/// A subscriber: a ``Stateful``, a ``GuardedScreen`` or a stream.
///
/// It gets the state at its registration and then each change, one at a time and in order.
final class Observer: Sendable {
  /// What an observer is told.
  enum News: Sendable {
    case change(SessionChange)
    /// The store is gone.
    case end
    /// Nothing: the store only asks whether the observer is still there.
    case nothing
  }

  /// Where and how the observer is told.
  ///
  /// The closure returns false when there is nothing more to tell.
  enum Teller: Sendable {
    /// On whichever thread made the change.
    case anywhere(@Sendable (News) -> Bool)
    case onMainActor(@MainActor @Sendable (News) -> Bool)
  }

  /// The screen that it makes follow its session, if it does that.
  let place: ScreenPlace?
  private let teller: Teller
  private let news = OrderedQueue<News>()
  private let isDone = Atomic<Bool>(false)

  init(_ teller: Teller, at place: ScreenPlace? = nil) {
    self.teller = teller
    self.place = place
  }

  /// Adds to what the observer will be told; it is told by the next call of `tell` or `greet`.
  func add(_ next: News) {
    news.add(next)
  }

  /// Tells the observer what was added: here, or soon on the main actor.
  func tell(_ inbox: MainActorInbox) {
    switch teller {
    case .anywhere(let tell): news.handle { if !tell($0) { finish() } }
    case .onMainActor: inbox.put { self.tellOnMainActor() }
    }
  }

  /// Tells an observer of the main actor what was added.
  @MainActor func tellOnMainActor() {
    guard case .onMainActor(let tell) = teller else { return }
    news.handle { if !tell($0) { finish() } }
  }

  /// Whether there is nothing more to tell it.
  ///
  /// Reading a weak reference can release the last reference to its object. So no lock may be held,
  /// and ``look()`` alone asks for an object of the main actor, there.
  var isGone: Bool {
    if case .anywhere(let tell) = teller, !tell(.nothing) { finish() }
    return isDone.load(ordering: .acquiring)
  }

  /// Finds out whether an object of the main actor is gone.
  @MainActor func look() {
    if case .onMainActor(let tell) = teller, !tell(.nothing) { finish() }
  }

  private func finish() { isDone.store(true, ordering: .releasing) }
}

/// What a ``Stateful`` was told, and what to tell it next.
final class StatefulCalls: Sendable {
  private let told = Locked<LoggedInSession?>(nil)

  /// Makes the call that tells this, if there is something to tell.
  func tell(_ stateful: any Stateful, _ news: Observer.News) -> Bool {
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

/// What a ``GuardedScreen`` was told, and what to tell it next.
final class ScreenCalls: Sendable {
  private let opened: LoggedInSession
  /// The key that the screen has; nil after its dismissal.
  private let handed: Locked<LoggedInSession?>

  init(_ opened: LoggedInSession) {
    self.opened = opened
    handed = Locked(opened)
  }

  /// Makes the call that tells this, if there is something to tell.
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
      // Changes from before the dismissal may still arrive.
      guard let present = handed, present != session else { return false }
      handed = session
      return true
    }
    if isNew { screen.follow(session) }
  }

  private func dismiss(_ screen: any GuardedScreen) {
    guard handed.withLock({ $0.take() }) != nil else { return }
    // Each state without this session came after its gate was closed with the reason. A live key
    // without a state belongs to another store.
    screen.dismiss(opened.endReason ?? .revoked)
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

extension SessionCore {
  /// Tells a ``Stateful`` the present state before this returns, and each change after it.
  func attach(_ stateful: some Stateful & Sendable) {
    let calls = StatefulCalls()
    let observer = Observer(
      .anywhere { [weak stateful] news in
        guard let stateful else { return false }
        return calls.tell(stateful, news)
      })
    register(observer)
    observer.tell(inbox)
  }

  /// Tells a ``Stateful`` of the main actor the present state before this returns, and each change
  /// after it.
  @MainActor func attachOnMainActor(_ stateful: some Stateful) {
    lookAround()
    let calls = StatefulCalls()
    let observer = Observer(
      .onMainActor { [weak stateful] news in
        guard let stateful else { return false }
        return calls.tell(stateful, news)
      })
    register(observer)
    observer.tellOnMainActor()
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

  /// Registers the observer of a screen, unless the screen has one; of two threads at once, one
  /// registers it.
  private func open(_ observer: Observer, _ look: (Observer) -> Void = { _ in }) {
    while let other = register(observer, unless: { $0.place == observer.place }) {
      look(other)
      // While this screen lives, no other one has its address.
      guard other.isGone else { return }
      drop([other])
    }
  }

  /// Before observers without objects are removed, finds those of the main actor.
  @MainActor private func lookAround() {
    for observer in withLock({ $0.observers.count >= $0.crowded ? $0.observers : [] }) { observer.look() }
  }
}
