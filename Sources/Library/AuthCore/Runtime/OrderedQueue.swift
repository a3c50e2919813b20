import ConcurrencyKit

/// A queue whose elements are handled one at a time, in order, with no lock held.
///
/// If the queue is idle, the caller handles its elements. If another call is already handling them,
/// on another thread or further up on this one, that call also handles the new elements.
final class OrderedQueue<Element: Sendable>: Sendable {
  private struct Storage {
    var elements: [Element] = []
    var isHandling: Bool

    var isIdle: Bool { elements.isEmpty && !isHandling }
  }

  private let storage: Locked<Storage>

  /// Creates a queue; one that is closed handles nothing before ``open(_:)``.
  init(isClosed: Bool = false) { storage = Locked(Storage(isHandling: isClosed)) }

  /// Opens a closed queue: handles its first element here, and then the others like ``handle(_:)``.
  func open(_ body: (Element) -> Void) {
    let first = storage.withLock { $0.elements.isEmpty ? nil : $0.elements.removeFirst() }
    if let first { body(first) }
    storage.withLock { $0.isHandling = false }
    handle(body)
  }

  /// Whether all elements have been handled.
  var isIdle: Bool { storage.withLock { $0.isIdle } }

  /// Adds an element.
  func add(_ element: Element) {
    storage.withLock { $0.elements.append(element) }
  }

  /// Adds an element unless the queue is idle.
  ///
  /// - Returns: Whether it was added.
  func addUnlessIdle(_ element: Element) -> Bool {
    storage.withLock { storage in
      if storage.isIdle { return false }
      storage.elements.append(element)
      return true
    }
  }

  /// Handles the elements, unless another call is handling them.
  func handle(_ body: (Element) -> Void) {
    while true {
      let next = storage.withLock { storage -> Element? in
        guard !storage.isHandling, !storage.elements.isEmpty else { return nil }
        storage.isHandling = true
        return storage.elements.removeFirst()
      }
      guard let next else { return }
      body(next)
      storage.withLock { $0.isHandling = false }
    }
  }
}

/// Makes calls on the main actor, in order.
///
/// An awaited command returns after all earlier calls. For example, a logout returns after the main
/// actor's screens were dismissed.
final class MainActorInbox: Sendable {
  private let queue = OrderedQueue<@MainActor @Sendable () -> Void>()

  /// Makes a call after the earlier ones: before this returns if the caller is on the main actor,
  /// otherwise soon.
  func put(_ call: @escaping @MainActor @Sendable () -> Void) {
    queue.add(call)
    onMainActor { self.queue.handle { $0() } }
  }

  /// Fulfils a promise, such as that of a command, after the calls that were added before.
  func settle(_ fulfil: @escaping @Sendable () -> Void) {
    if !queue.addUnlessIdle({ fulfil() }) { fulfil() }
  }
}
