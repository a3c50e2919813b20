import Guards

/// The deliveries that are to be made on the main actor, in their order.
///
/// Somebody who waits for a command is told after all earlier deliveries, so that an awaited logout
/// returns after the main actor's screens were dismissed.
final class MainActorInbox: Sendable {
  private struct Storage {
    var deliveries: [@MainActor @Sendable () -> Void] = []
    /// Whether the main actor is making one.
    var isDelivering = false

    var isIdle: Bool { deliveries.isEmpty && !isDelivering }
  }

  private let storage = Locked(Storage())

  /// Adds a delivery.
  func put(_ delivery: @escaping @MainActor @Sendable () -> Void) {
    let wasIdle = storage.withLock { storage in
      defer { storage.deliveries.append(delivery) }
      return storage.isIdle
    }
    if wasIdle { Task { @MainActor in deliver() } }
  }

  /// Fulfils the promise of a command, after the deliveries that were added before.
  func settle(_ settlement: Settlement) {
    let isNext = storage.withLock { storage in
      if !storage.isIdle { storage.deliveries.append { settlement.fulfil() } }
      return storage.deliveries.isEmpty && !storage.isDelivering
    }
    if isNext { settlement.fulfil() }
  }

  /// Makes all deliveries; inside of one it leaves that to the call that is making it.
  @MainActor func deliver() {
    while true {
      let next = storage.withLock { storage -> (@MainActor @Sendable () -> Void)? in
        guard !storage.isDelivering, !storage.deliveries.isEmpty else { return nil }
        storage.isDelivering = true
        return storage.deliveries.removeFirst()
      }
      guard let next else { return }
      next()
      storage.withLock { $0.isDelivering = false }
    }
  }
}
