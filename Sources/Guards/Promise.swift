/// A value that is set once, and any number of tasks that wait for it.
///
/// Each waiting task resumes once: with the value, or when the task is cancelled. If the value is
/// set already, the task does not suspend.
package final class Promise<Value: Sendable>: Sendable {
  private enum State {
    /// The value is not set; these wait, in the order in which they came.
    ///
    /// They are few. An array is enough, as the first dictionary of a process costs more.
    case waiting([Waiter])
    /// The value is set.
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

  /// Creates a promise without a value.
  package init() {}

  /// Sets the value; a second value is ignored.
  package func fulfil(_ value: Value) {
    let waiters = storage.withLock { storage -> [Waiter] in
      guard case .waiting(let waiters) = storage.state else { return [] }
      storage.state = .kept(value)
      return waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: value) }
  }

  /// The value, or nil as soon as the waiting task is cancelled.
  package func value() async -> Value? {
    if let value = kept { return value }
    let number = nextWaiter()
    return await withTaskCancellationHandler {
      await wait(number, isCancellable: true)
    } onCancel: {
      let waiter = storage.withLock { storage -> Waiter? in
        guard case .waiting(var waiters) = storage.state,
          let index = waiters.firstIndex(where: { $0.number == number })
        else { return nil }
        let waiter = waiters.remove(at: index)
        storage.state = .waiting(waiters)
        return waiter
      }
      waiter?.continuation.resume(returning: nil)
    }
  }

  /// The value, even if the waiting task is cancelled.
  package func valueUncancelled() async -> Value {
    if let value = kept { return value }
    guard let value = await wait(nextWaiter(), isCancellable: false) else {
      preconditionFailure("only a cancellation resumes a waiter without the value")
    }
    return value
  }

  /// The value, if it is set.
  package var kept: Value? {
    storage.withLock { storage in
      switch storage.state {
      case .kept(let value): value
      case .waiting: nil
      }
    }
  }

  private func nextWaiter() -> UInt64 {
    storage.withLock { storage in
      storage.lastWaiter += 1
      return storage.lastWaiter
    }
  }

  private func wait(_ number: UInt64, isCancellable: Bool) async -> Value? {
    await withCheckedContinuation { continuation in
      let answer = storage.withLock { storage -> Value?? in
        switch storage.state {
        case .kept(let value): return .some(value)
        case .waiting(var waiters):
          if isCancellable, Task.isCancelled { return .some(nil) }
          waiters.append(Waiter(number: number, continuation: continuation))
          storage.state = .waiting(waiters)
          return .none
        }
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}
