/// A value that is set once, for any number of waiting tasks.
///
/// Each waiting task resumes once: when the value is set, or when the task is cancelled. If the
/// value is already set, the task does not suspend.
package final class Promise<Value: Sendable>: Sendable {
  private struct Waiter {
    let number: UInt64
    /// Resumes with the value, or with nil when the task is cancelled.
    let continuation: CheckedContinuation<Value?, Never>
  }

  private struct Storage {
    var value: Value?
    /// In order of arrival.
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
  }

  private let storage = Locked(Storage())

  package init() {}

  /// Sets the value; a second value is ignored.
  package func fulfil(_ value: Value) {
    let waiters = storage.withLock { storage -> [Waiter] in
      if storage.value != nil { return [] }
      storage.value = value
      defer { storage.waiters = [] }
      return storage.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: value) }
  }

  /// The value, if it is set.
  package var kept: Value? { storage.withLock { $0.value } }

  /// The value, or nil as soon as the waiting task is cancelled.
  package func value() async -> Value? {
    if let kept { return kept }
    let number = nextWaiter()
    return await withTaskCancellationHandler {
      await wait(number, isCancellable: true)
    } onCancel: {
      let waiter = storage.withLock { storage -> Waiter? in
        guard let index = storage.waiters.firstIndex(where: { $0.number == number }) else { return nil }
        return storage.waiters.remove(at: index)
      }
      waiter?.continuation.resume(returning: nil)
    }
  }

  /// The value, even if the waiting task is cancelled.
  package func valueUncancelled() async -> Value {
    if let kept { return kept }
    guard let value = await wait(nextWaiter(), isCancellable: false) else {
      preconditionFailure("only a cancellation resumes a waiter before the value is set")
    }
    return value
  }

  private func nextWaiter() -> UInt64 {
    storage.withLock { storage in
      storage.lastWaiter += 1
      return storage.lastWaiter
    }
  }

  private func wait(_ number: UInt64, isCancellable: Bool) async -> Value? {
    await withCheckedContinuation { continuation in
      let isWaiting = storage.withLock { storage in
        let isWaiting = storage.value == nil && !(isCancellable && Task.isCancelled)
        if isWaiting { storage.waiters.append(Waiter(number: number, continuation: continuation)) }
        return isWaiting
      }
      if !isWaiting { continuation.resume(returning: kept) }
    }
  }
}
