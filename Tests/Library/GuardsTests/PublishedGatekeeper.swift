import Glibc
import Synchronization

/// Gatekeeper as it was published in 2021, step for step: read, then write.
///
/// The value is an atomic that is read and written in two steps, without an ordering. That is the
/// same algorithm without undefined behaviour: the race can be counted, and Thread Sanitizer
/// reports nothing. On a computer with one free core, two threads meet only when the scheduler
/// interrupts one. `isInterrupted` simulates that.
final class PublishedGatekeeper: Sendable {
  private let value = Atomic<Bool>(true)

  var mayPass: Bool { value.load(ordering: .relaxed) }

  @discardableResult
  func attemptPassage(isInterrupted: Bool = false) -> Bool {
    defer {
      if isInterrupted { sched_yield() }
      value.store(false, ordering: .relaxed)
    }
    return value.load(ordering: .relaxed)
  }

  func reset() { value.store(true, ordering: .relaxed) }
}

/// The published form for sets: a value type that these tests use on one thread.
struct PublishedSetGatekeeper<Value: SetAlgebra> {
  private var value: Value = []

  func mayPass(for option: Value.Element) -> Bool { !value.contains(option) }

  @discardableResult
  mutating func attemptPassage(for option: Value.Element) -> Bool {
    defer { value.insert(option) }
    return !value.contains(option)
  }

  mutating func reset(for option: Value.Element) { value.remove(option) }
}
