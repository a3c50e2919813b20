import Glibc
import Synchronization

/// Gatekeeper as it was published in 2021, step for step: read, then write.
///
/// The value is an atomic that is read and written in two steps, without an ordering. That is the
/// same algorithm without undefined behaviour: the race can be counted, and Thread Sanitizer
/// reports nothing. On a computer with one free core, two threads meet only when the scheduler
/// interrupts one. `isInterrupted` simulates that.
package final class PublishedGatekeeper: Sendable {
  private let value = Atomic<Bool>(true)

  package init() {}

  package var mayPass: Bool { value.load(ordering: .relaxed) }

  @discardableResult
  package func attemptPassage(isInterrupted: Bool = false) -> Bool {
    defer {
      if isInterrupted { sched_yield() }
      value.store(false, ordering: .relaxed)
    }
    return value.load(ordering: .relaxed)
  }

  package func reset() { value.store(true, ordering: .relaxed) }
}

/// The published form for sets: a value type that these tests use on one thread.
package struct PublishedSetGatekeeper<Value: SetAlgebra> {
  private var value: Value = []

  package init() {}

  package func mayPass(for option: Value.Element) -> Bool { !value.contains(option) }

  @discardableResult
  package mutating func attemptPassage(for option: Value.Element) -> Bool {
    defer { value.insert(option) }
    return !value.contains(option)
  }

  package mutating func reset(for option: Value.Element) { value.remove(option) }
}
