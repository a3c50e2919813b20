import Guards

/// The sequence of ``SessionStore/transitions``.
package struct SessionTransitions: AsyncSequence, Sendable {
  let core: SessionCore
  let bound: Int

  /// Subscribes; from here on the iterator gets every change.
  package func makeAsyncIterator() -> Iterator {
    let buffer = ChangeBuffer(bound: bound)
    let observer = Observer(
      .anywhere { [weak buffer] news in
        guard let buffer else { return false }
        switch news {
        case .change(let change): buffer.put(change)
        case .end: buffer.finish()
        case .nothing: break
        }
        return true
      })
    core.register(observer)
    observer.tell(core.inbox)
    return Iterator(buffer: buffer)
  }

  /// Returns the changes in order.
  package struct Iterator: AsyncIteratorProtocol {
    let buffer: ChangeBuffer

    /// The next change, or nil at the end.
    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> SessionChange? {
      await buffer.next()
    }
  }
}

/// The changes that one subscriber has not fetched yet.
final class ChangeBuffer: Sendable {
  private struct Storage {
    var queue: [SessionChange] = []
    var isFinished = false
    /// Fulfilled when a change or the end arrives; each wait uses a new promise.
    var arrival: Promise<Void>?
  }

  private let bound: Int
  private let storage = Locked(Storage())

  init(bound: Int) {
    self.bound = Swift.max(1, bound)
  }

  func put(_ change: SessionChange) {
    arrive { storage in
      var change = change
      if storage.queue.count >= bound {
        change.missed = storage.queue.reduce(storage.queue.count) { $0 + $1.missed }
        storage.queue.removeAll(keepingCapacity: true)
      }
      storage.queue.append(change)
    }
  }

  func finish() {
    arrive { $0.isFinished = true }
  }

  private func arrive(_ body: (inout Storage) -> Void) {
    storage.withLock { storage in
      body(&storage)
      return storage.arrival.take()
    }?.fulfil(())
  }

  func next() async -> SessionChange? {
    while true {
      let step = storage.withLock { storage -> Step in
        if !storage.queue.isEmpty { return .change(storage.queue.removeFirst()) }
        if storage.isFinished { return .end }
        let arrival = storage.arrival ?? Promise()
        storage.arrival = arrival
        return .wait(arrival)
      }
      switch step {
      case .change(let change): return change
      case .end: return nil
      case .wait(let arrival): if await arrival.value() == nil { return nil }
      }
    }
  }

  private enum Step: Sendable {
    case change(SessionChange)
    case end
    case wait(Promise<Void>)
  }
}
