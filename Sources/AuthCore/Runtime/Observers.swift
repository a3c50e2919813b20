import Guards

// Every way to hear of a change (reading `state`, a `SessionObserver`, a screen, `transitions`) is
// an `Observer` in the one list of the core.
extension SessionCore {
  /// A task to do with no lock held.
  indirect enum Delivery {
    case notify(Observer.News, [Observer])
    case settle(Settlement)
    case cancel(Task<Void, Never>)
    /// Start the timer of the limits that the authority gave.
    ///
    /// It comes before the change, so that the timer runs when observers see the limits.
    case watchLimits
  }

  /// Makes the deliveries in the outbox, unless another thread is making them; then that thread
  /// makes all.
  func deliver() {
    outbox.handle { delivery in
      switch delivery {
      case .notify(let news, let observers):
        for observer in observers {
          observer.add(news)
          observer.tell(inbox)
        }
        drop(observers.filter(\.isGone))
      case .settle(let settlement): inbox.settle(settlement)
      case .cancel(let timer): timer.cancel()
      case .watchLimits: watchLimits()
      }
    }
  }

  private func drop(_ gone: [Observer]) {
    guard !gone.isEmpty else { return }
    let gone = Set(gone.map { ObjectIdentifier($0) })
    withLock { $0.observers.removeAll { gone.contains(ObjectIdentifier($0)) } }
  }

  /// Registers an observer and adds the current state to its notifications, in one step.
  ///
  /// The caller then delivers it, so that the first call does not depend on the thread that is
  /// delivering.
  ///
  /// - Returns: The observer that is already registered in its place, if any; then nothing was
  ///   changed.
  @discardableResult
  func register(_ observer: Observer, unless isInItsPlace: ((Observer) -> Bool)? = nil) -> Observer? {
    let (other, crowd) = withLock { [self] inner -> (Observer?, [Observer]) in
      if let isInItsPlace, let other = inner.observers.first(where: isInItsPlace) { return (other, []) }
      guard !inner.isShutDown else {
        observer.add(.end)
        return (nil, [])
      }
      inner.observers.append(observer)
      observer.add(.change(change(inner)))
      return (nil, inner.observers.count > inner.crowded ? inner.observers : [])
    }
    if !crowd.isEmpty { thinOut(crowd) }
    return other
  }

  /// Removes observers whose targets are gone, if no change has removed them.
  ///
  /// If screens come and go without a change, there are at most twice as many observers as living
  /// screens.
  private func thinOut(_ crowd: [Observer]) {
    drop(crowd.filter(\.isGone))
    withLock { $0.crowded = max(16, 2 * $0.observers.count) }
  }

  /// The signals for readers of the state; the first reader registers them.
  ///
  /// That reader does so before it reads the state, and the state changes before the signal. So a
  /// reader that misses the signal reads the new state.
  var observed: ObservedState {
    withLock { [self] inner in
      if let observed = inner.observed { return observed }
      let observed = ObservedState(key(inner))
      inner.observed = observed
      inner.observers.append(Observer(.anywhere { observed.tell($0) }))
      return observed
    }
  }

  /// Notifies a ``SessionObserver`` of the current state before this returns, and of each later
  /// change.
  func attach(_ observed: some SessionObserver & Sendable) {
    let calls = ObserverCalls()
    let observer = Observer(
      .anywhere { [weak observed] news in observed.map { calls.tell($0, news) } ?? false },
      of: Observer.Target(observed))
    register(observer)
    observer.tell(inbox)
  }

  /// Notifies a ``SessionObserver`` of the main actor of the current state before this returns, and
  /// of each later change.
  @MainActor func attachOnMainActor(_ observed: some SessionObserver) {
    lookAround()
    let calls = ObserverCalls()
    let observer = Observer(
      .onMainActor { [weak observed] news in observed.map { calls.tell($0, news) } ?? false },
      of: Observer.Target(observed))
    register(observer)
    observer.tellOnMainActor()
  }

  /// Stops the notifications of an observer.
  func detach(_ observer: some SessionObserver) {
    let target = Observer.Target(observer)
    let detached = withLock { $0.observers.filter { $0.target == target } }
    for observer in detached { observer.finish() }
    drop(detached)
  }

  /// Makes a screen follow the session, unless it already does.
  func open(_ screen: some GuardedScreen & Sendable, _ session: LoggedInSession) {
    let calls = ScreenCalls(session)
    let teller = Observer.Teller.anywhere { [weak screen] news in screen.map { calls.tell($0, news) } ?? false }
    let observer = Observer(teller, of: Observer.Target(screen, session))
    open(observer)
    observer.tell(inbox)
  }

  /// Makes a screen of the main actor follow the session, unless it already does.
  @MainActor func openOnMainActor(_ screen: some GuardedScreen, _ session: LoggedInSession) {
    lookAround()
    let calls = ScreenCalls(session)
    let teller = Observer.Teller.onMainActor { [weak screen] news in screen.map { calls.tell($0, news) } ?? false }
    let observer = Observer(teller, of: Observer.Target(screen, session))
    open(observer) { $0.look() }
    observer.tellOnMainActor()
  }

  /// Registers the observer of a screen, unless the screen has one; of two simultaneous calls, only
  /// one registers it.
  private func open(_ observer: Observer, _ look: (Observer) -> Void = { _ in }) {
    while let other = register(observer, unless: { $0.target == observer.target }) {
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
