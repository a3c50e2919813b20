import Glibc
import Guards
import Synchronization

/// RunOnce as it was published in 2021, step for step, with a stand-in for the Objective-C runtime's associated objects.
///
/// Getting and setting an associated object are atomic each, as they are there. The lock that is to protect the map is itself made
/// by looking and then setting, so at first contact two threads may each make one.
/// Where the machine has one core to spare, two threads only ever meet when the scheduler interrupts one; `isInterrupted` does that.
final class PublishedRunOnce: Sendable {
  private let associatedLock = Locked<SpinLock?>(nil)
  private let associatedMap = Locked<[String: Bool]>([:])

  func run(_ signature: String, isInterrupted: Bool = false, _ closure: () -> Void) {
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

  private func lockOfObject(_ isInterrupted: Bool) -> SpinLock {
    if let lock = associatedLock.withLock({ $0 }) { return lock }
    if isInterrupted { sched_yield() }
    let lock = SpinLock()
    associatedLock.withLock { $0 = lock }
    return lock
  }
}

/// A lock of its own, as an `NSLock` is.
final class SpinLock: Sendable {
  private let isHeld = Atomic(false)
  func lock() { while isHeld.exchange(true, ordering: .acquiring) { sched_yield() } }
  func unlock() { isHeld.store(false, ordering: .releasing) }
}
