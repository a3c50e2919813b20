import Guards

/// A value that arrives once, and any number of tasks that wait for it.
///
/// Each waiter resumes exactly once: with the value, or on its cancellation, also when it was
/// cancelled before it waited. Waiting for a value that has already arrived does not suspend.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    /// No value yet; these tasks wait, in order of arrival.
    ///
    /// There are few, and the first dictionary of a process costs more than a search in this array.
    case waiting([Waiter])
    /// The value arrived.
    case kept(Value)
  }

  private struct Waiter {
    let number: UInt64
    let continuation: CheckedContinuation<Value?, Never>
  }

  private struct Storage {
    var state = State.waiting([])
    var lastWaiter: UInt64 = 0
  }

  private let storage = Locked(Storage())

  /// Sets the value and resumes the waiters.
  ///
  /// A second value is ignored.
  func fulfil(_ value: Value) {
    let waiters = storage.withLock { storage -> [Waiter] in
      guard case .waiting(let waiters) = storage.state else { return [] }
      storage.state = .kept(value)
      return waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: value) }
  }

  /// The value, or nil as soon as the waiting task is cancelled.
  func value() async -> Value? {
    if let value = kept { return value }
    let number = storage.withLock { storage in
      storage.lastWaiter += 1
      return storage.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = storage.withLock { storage -> Value?? in
          switch storage.state {
          case .kept(let value): return .some(value)
          case .waiting(var waiters):
            if Task.isCancelled { return .some(nil) }
            waiters.append(Waiter(number: number, continuation: continuation))
            storage.state = .waiting(waiters)
            return .none
          }
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = storage.withLock { storage -> Waiter? in
        guard case .waiting(var waiters) = storage.state, let index = waiters.firstIndex(where: { $0.number == number })
        else { return nil }
        let waiter = waiters.remove(at: index)
        storage.state = .waiting(waiters)
        return waiter
      }
      waiter?.continuation.resume(returning: nil)
    }
  }

  /// Waits for the value, also after the waiting task was cancelled.
  func valueUncancelled() async -> Value {
    if let value = kept { return value }
    let number = storage.withLock { storage in
      storage.lastWaiter += 1
      return storage.lastWaiter
    }
    let value = await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      let value = storage.withLock { storage -> Value? in
        switch storage.state {
        case .kept(let value): return value
        case .waiting(var waiters):
          waiters.append(Waiter(number: number, continuation: continuation))
          storage.state = .waiting(waiters)
          return nil
        }
      }
      if let value { continuation.resume(returning: value) }
    }
    guard let value else { preconditionFailure("a waiter without a cancellation handler is resumed by the value only") }
    return value
  }

  /// The value, if it has arrived.
  var kept: Value? {
    storage.withLock { storage in
      switch storage.state {
      case .kept(let value): value
      case .waiting: nil
      }
    }
  }
}
