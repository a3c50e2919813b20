/// A value that is set once, for any number of waiting tasks.
///
/// Each waiting task resumes once: when the value is set, or when the task is cancelled. If the
/// value is already set, the task does not suspend.
package final class Promise<Value: Sendable>: Sendable {
  private let latch = Latch()
  /// Written once, under the lock of the latch and before it opens; read only when it is open.
  private nonisolated(unsafe) var stored: Value?

  package init() {}

  /// Sets the value; a second value is ignored.
  package func fulfil(_ value: Value) {
    latch.open { stored = value }
  }

  /// The value, or nil as soon as the waiting task is cancelled.
  package func value() async -> Value? {
    await latch.opens() ? stored : nil
  }

  /// The value, even if the waiting task is cancelled.
  package func valueUncancelled() async -> Value {
    await latch.opensUncancelled()
    guard let stored else { preconditionFailure("a latch opened before its value was set") }
    return stored
  }

  /// The value, if it is set.
  package var kept: Value? {
    latch.isOpen ? stored : nil
  }
}

/// The part of a promise that does not depend on the type of its value.
///
/// The runtime builds each specialized generic type while the program runs. With this non-generic
/// latch, a login without its password hash took 4 % fewer instructions.
private struct Latch: ~Copyable, Sendable {
  private struct Waiter {
    let number: UInt64
    /// Resumes with true when the latch opens, with false when the task is cancelled.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Storage {
    var isOpen = false
    /// In order of arrival.
    ///
    /// An array, because they are few and the first dictionary of a process costs more.
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
  }

  private let storage = Locked(Storage())

  /// Opens the latch, unless it is open, and resumes the waiting tasks.
  ///
  /// - Parameter prepare: Runs before the latch opens, under the lock.
  func open(_ prepare: () -> Void) {
    let waiters = storage.withLock { storage -> [Waiter] in
      if storage.isOpen { return [] }
      prepare()
      storage.isOpen = true
      defer { storage.waiters = [] }
      return storage.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  var isOpen: Bool { storage.withLock { $0.isOpen } }

  /// Waits until the latch is open (true) or the waiting task is cancelled (false).
  func opens() async -> Bool {
    if isOpen { return true }
    let number = nextWaiter()
    return await withTaskCancellationHandler {
      await wait(number, isCancellable: true)
    } onCancel: {
      let waiter = storage.withLock { storage -> Waiter? in
        guard let index = storage.waiters.firstIndex(where: { $0.number == number }) else { return nil }
        return storage.waiters.remove(at: index)
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  /// Waits until the latch is open, even if the waiting task is cancelled.
  func opensUncancelled() async {
    if isOpen { return }
    guard await wait(nextWaiter(), isCancellable: false) else {
      preconditionFailure("only a cancellation resumes a waiter before the latch is open")
    }
  }

  private func nextWaiter() -> UInt64 {
    storage.withLock { storage in
      storage.lastWaiter += 1
      return storage.lastWaiter
    }
  }

  private func wait(_ number: UInt64, isCancellable: Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = storage.withLock { storage -> Bool? in
        if storage.isOpen { return true }
        if isCancellable, Task.isCancelled { return false }
        storage.waiters.append(Waiter(number: number, continuation: continuation))
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}
