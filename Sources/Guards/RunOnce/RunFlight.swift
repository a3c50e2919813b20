/// Those who wait for a running body to end.
///
/// Each waiter is resumed once: when the flight lands or when its task is cancelled, whichever is first. Waiters
/// hold nothing up: a cancelled one leaves, and the body goes on.
final class RunFlight: Sendable {
  private struct State {
    var hasLanded = false
    var nextWaiter = 0
    /// Waiters that have suspended, and those that were cancelled before they could (nil).
    var waiters: [Int: CheckedContinuation<Bool, Never>?] = [:]
  }

  private let state = Locked(State())

  /// Suspends until the body has ended.
  ///
  /// - Returns: Whether it has; false means that the calling task was cancelled first.
  func wait() async -> Bool {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.hasLanded { return true }
          if state.waiters.removeValue(forKey: waiter) != nil { return false }
          state.waiters[waiter] = .some(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        if state.hasLanded { return nil }
        if let suspended = state.waiters.removeValue(forKey: waiter) { return suspended }
        state.waiters[waiter] = .some(nil)
        return nil
      }
      waiting?.resume(returning: false)
    }
  }

  /// Resumes all who wait, and lets nobody wait any more.
  func land() {
    let waiters = state.withLock { state in
      state.hasLanded = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter?.resume(returning: true) }
  }
}
