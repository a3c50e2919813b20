import Guards
import Synchronization

/// Delivers changes to an object of the main actor, there.
final class MainActorObserver: Observer {
  private let inbox: MainActorInbox
  private let target: any MainActorTarget
  let place: ScreenPlace?
  /// Whether the target was seen to be gone.
  ///
  /// Only the main actor looks, because a look can release the last reference to the target.
  private let sawItGone = Atomic<Bool>(false)

  init(_ target: any MainActorTarget, at place: ScreenPlace? = nil, _ inbox: MainActorInbox) {
    self.target = target
    self.place = place
    self.inbox = inbox
  }

  var isGone: Bool { sawItGone.load(ordering: .acquiring) }

  @MainActor func look() {
    if target.isGone { sawItGone.store(true, ordering: .releasing) }
  }

  func receive(_ change: SessionChange) -> Bool {
    if isGone { return false }
    inbox.put {
      if !self.target.receive(change) { self.sawItGone.store(true, ordering: .releasing) }
    }
    return true
  }

  func finish() {
    inbox.put { self.target.finish() }
  }
}

/// An object of the main actor, held weakly, and what it was told.
@MainActor protocol MainActorTarget: AnyObject, Sendable {
  var isGone: Bool { get }
  /// Tells the object; returns false when there is nothing more to tell it.
  func receive(_ change: SessionChange) -> Bool
  func finish()
}

@MainActor final class MainActorStateful: MainActorTarget {
  private weak let target: (any Stateful)?
  private var news = StatefulNews()

  init(_ target: any Stateful) {
    self.target = target
  }

  var isGone: Bool { target == nil }

  func receive(_ change: SessionChange) -> Bool {
    guard let target else { return false }
    if let call = news.call(for: change.snapshot) { target.take(call) }
    return true
  }

  func finish() {}
}

@MainActor final class MainActorScreen: MainActorTarget {
  private weak let screen: (any GuardedScreen)?
  private var news: ScreenNews

  init(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    self.screen = screen
    news = ScreenNews(session)
  }

  var isGone: Bool { screen == nil }

  func receive(_ change: SessionChange) -> Bool {
    guard let screen else { return false }
    let call = news.call(for: change.snapshot)
    if let call { screen.take(call) }
    return news.isOpen
  }

  func finish() {
    guard let screen, let call = news.dismissal() else { return }
    screen.take(call)
  }
}

extension SessionCore {
  /// Registers an observer of the main actor, and tells it the present state at once.
  @MainActor func attachOnMainActor(_ stateful: any Stateful) {
    lookAround()
    attach(MainActorObserver(MainActorStateful(stateful), inbox))
    inbox.deliver()
  }

  /// Makes a screen of the main actor follow the session, unless it already does.
  @MainActor func openOnMainActor(_ screen: any GuardedScreen, _ session: LoggedInSession) {
    lookAround()
    let observer = MainActorObserver(
      MainActorScreen(screen, session), at: ScreenPlace(screen, session), inbox)
    open(observer) { ($0 as? MainActorObserver)?.look() }
    inbox.deliver()
  }

  /// Before observers without targets are removed, finds those of the main actor.
  @MainActor private func lookAround() {
    for observer in withLock({ $0.observers.count >= $0.crowded ? $0.observers : [] }) {
      (observer as? MainActorObserver)?.look()
    }
  }
}
