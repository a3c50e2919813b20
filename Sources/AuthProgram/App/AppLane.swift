import Guards

/// Work that is done one piece after the other, each on a thread of its own; a piece that waits
/// already is not added again.
final class AppLane: Sendable {
  private struct Queue {
    var waiting: [(name: String, body: @Sendable () async -> Void)] = []
    var isBusy = false
  }

  private let queue = Locked(Queue())

  func submit(_ name: String, _ body: @escaping @Sendable () async -> Void) {
    let isNew = queue.withLock { queue in
      guard !queue.waiting.contains(where: { $0.name == name }) else { return false }
      queue.waiting.append((name, body))
      return true
    }
    if isNew { startNext() }
  }

  private func startNext() {
    let next: (@Sendable () async -> Void)? = queue.withLock { queue in
      guard !queue.isBusy, !queue.waiting.isEmpty else { return nil }
      queue.isBusy = true
      return queue.waiting.removeFirst().body
    }
    guard let next else { return }
    OwnThread.start {
      await next()
      self.queue.withLock { $0.isBusy = false }
      self.startNext()
    }
  }
}
