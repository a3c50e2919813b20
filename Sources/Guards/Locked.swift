public import Synchronization

/// A value behind a lock, which Thread Sanitizer can follow.
///
/// `Mutex` waits in a futex call that the sanitizer does not see on Linux, so it reports correct code under contention. The
/// flag adds nothing to the exclusion: its acquire and release state the same order in a form that the sanitizer knows.
/// It is inlinable because a gate for a set, called from another module, took three times as long without.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline package let mutex: Mutex<Value>
  @usableFromInline package let order = Atomic<Bool>(false)

  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs `body` alone.
  ///
  /// It must not call out: no observer, continuation or closure of a user runs in here.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value) throws(Failure) -> sending Result in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
