import ConcurrencyKit

// A `SessionObserver`, a screen and an iterator of `transitions` are each an `Observer` in the one
// list of the core. Readers of `state` use Observation.
extension SessionCore {
  /// Makes the deliveries in the outbox, unless another thread is making them; then that thread
  /// makes all.
  func deliver() {
    outbox.handle { $0() }
  }

  /// Notifies the observers of a change, with no lock held: first the readers of the state.
  func notify(_ observers: [Observer], of change: SessionChange) {
    observedRevision.change { $0 = change.revision }
    observedKey.change { $0 = change.snapshot.session }
    notify(observers)
  }

  /// Delivers the notifications that were added for the observers, with no lock held.
  func notify(_ observers: [Observer]) {
    for observer in observers { observer.tell(inbox) }
    drop(observers.filter(\.isGone))
  }

  private func drop(_ gone: [Observer]) {
    guard !gone.isEmpty else { return }
    let gone = Set(gone.map { ObjectIdentifier($0) })
    withLock { $0.observers.removeAll { gone.contains(ObjectIdentifier($0)) } }
  }

  /// Registers an observer, unless it is that of a screen which has one, and notifies it of the
  /// current state before this returns.
  ///
  /// So the first call does not depend on the thread that is delivering.
  ///
  /// - Returns: The number of the change that it gets first.
  @discardableResult
  func start(_ observer: Observer) -> UInt64 {
    let first = register(observer)
    observer.begin()
    return first
  }

  /// Registers an observer of the main actor; see ``start(_:)``.
  @MainActor func startOnMainActor(_ observer: Observer) {
    // Finds the observers of the main actor without objects, before the store removes them.
    for other in withLock({ $0.observers }) { other.check() }
    _ = register(observer)
    observer.begin()
  }

  /// Notifies the observers of the main actor before this returns if the caller is on it: another
  /// thread may be making the deliveries in the outbox.
  func tellMainActor(_ observers: [Observer]) {
    let behind = observers.filter(\.isBehindOnMainActor)
    if !behind.isEmpty { onMainActor { for observer in behind { observer.deliver() } } }
  }

  private func register(_ observer: Observer) -> UInt64 {
    // Otherwise observers that come and go without a change would stay. A screen without an object
    // could have the address of this one.
    drop(withLock { $0.observers }.filter(\.isGone))
    return withLock { inner in
      if let target = observer.target, target.isScreen, inner.observers.contains(where: { $0.target == target }) {
        return inner.revision
      }
      let isReleased = inner.machine.isReleased
      observer.add(isReleased ? .end : .change(inner.change))
      if !isReleased { inner.observers.append(observer) }
      return inner.revision
    }
  }

  /// Stops the notifications of an observer.
  func detach(_ observer: some SessionObserver) {
    let target = Observer.Target(observer)
    let detached = withLock { $0.observers.filter { $0.target == target } }
    for observer in detached { observer.finish() }
    drop(detached)
  }

  /// Reads the state for a reader that is notified of its changes.
  ///
  /// The state changes before the signal. So a reader that misses the signal reads the new state.
  func observing<Result: Sendable>(_ body: (Inner) -> Result) -> Result {
    _ = observedRevision.value
    return withLock { body($0) }
  }
}
