import ConcurrencyKit
import Glibc
import Synchronization

/// RunOnce as it was published in 2021, step for step, without the Objective-C runtime.
///
/// Getting and setting an associated object are atomic, as in the Objective-C runtime. But the lock
/// that protects the map is created by a read and then a write, so two threads can each create one.
/// On a computer with one free core, two threads meet only when the scheduler interrupts one.
/// `isInterrupted` simulates that.
package final class PublishedRunOnce: Sendable {
  private let associatedLock = Locked<SpinLock?>(nil)
  private let associatedMap = Locked<[String: Bool]>([:])

  package init() {}

  package func run(_ signature: String, isInterrupted: Bool = false, _ closure: () -> Void) {
    let lock = lockOfObject(isInterrupted)
    lock.lock()
    var map = associatedMap.withLock { $0 }
    guard map[signature] == nil else {
      lock.unlock()
      return
    }
    if isInterrupted { sched_yield() }
    map[signature] = true
    let marked = map
    associatedMap.withLock { $0 = marked }
    lock.unlock()
    closure()
  }

  /// Whether a round of a race ran the body; every 16th is interrupted.
  package func runs(_ round: Int) -> Bool {
    var ran = false
    run("place", isInterrupted: round % 16 == 0) { ran = true }
    return ran
  }

  private func lockOfObject(_ isInterrupted: Bool) -> SpinLock {
    if let lock = associatedLock.withLock({ $0 }) { return lock }
    if isInterrupted { sched_yield() }
    let lock = SpinLock()
    associatedLock.withLock { $0 = lock }
    return lock
  }
}

/// A separate lock, in place of an `NSLock`.
private final class SpinLock: Sendable {
  private let isHeld = Atomic(false)
  func lock() { while isHeld.exchange(true, ordering: .acquiring) { sched_yield() } }
  func unlock() { isHeld.store(false, ordering: .releasing) }
}
