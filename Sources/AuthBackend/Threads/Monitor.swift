import Glibc
// Swift 6.3 takes the fields of `timespec` for its, depending on the order of the files.
import SwiftOverlayShims

/// A value behind a lock, and threads that wait until it changes.
///
/// Waiting blocks the thread, so never wait on a thread that runs Swift's tasks.
package final class Monitor<Value>: Sendable {
  // Safe: the pointer never changes, and pthread functions lock what it points to on any thread.
  nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // Safe: the pointer never changes, and pthread functions signal through it on any thread.
  nonisolated(unsafe) private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Safe: the value is read and written only while the mutex is locked.
  nonisolated(unsafe) private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value.initialize(to: value)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The wall clock may be set during a wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Reads or changes the value, and wakes nobody.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value.pointee)
  }

  /// Changes the value, and wakes one thread that waits, or all of them.
  ///
  /// - Parameters:
  ///   - wakingAll: Whether all are woken.
  ///   - concerns: Whether the changed value is of use to one that waits; otherwise none is woken.
  ///   - body: Changes the value.
  /// - Returns: What `body` returns.
  package func change<Result>(
    wakingAll: Bool = false, if concerns: (Value) -> Bool = { _ in true }, _ body: (inout Value) -> Result
  ) -> Result {
    pthread_mutex_lock(mutex)
    let result = body(&value.pointee)
    let wakes = concerns(value.pointee)
    pthread_mutex_unlock(mutex)
    // After the lock, which the woken thread takes.
    if wakes, wakingAll { pthread_cond_broadcast(changed) } else if wakes { pthread_cond_signal(changed) }
    return result
  }

  /// Waits until `body` has a result.
  ///
  /// - Parameters:
  ///   - limit: How long at most; nil for ever.
  ///   - body: Looks at the value after each change; nil goes on waiting.
  /// - Returns: Nil when the time is over.
  package func wait<Result>(atMost limit: Duration? = nil, _ body: (inout Value) -> Result?) -> Result? {
    var end = timespec()
    if let limit {
      clock_gettime(CLOCK_MONOTONIC, &end)
      let (seconds, attoseconds) = limit.components
      end.tv_sec += Int(seconds)
      end.tv_nsec += Int(attoseconds / 1_000_000_000)
      if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      if limit == nil {
        pthread_cond_wait(changed, mutex)
      } else if pthread_cond_timedwait(changed, mutex, &end) == ETIMEDOUT {
        return body(&value.pointee)
      }
    }
  }
}
