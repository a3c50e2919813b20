#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#elseif canImport(Android)
  package import Android
#endif

/// A value behind a lock, and threads that wait until it changes.
///
/// Waiting blocks the thread, so never wait on a thread that runs Swift's tasks.
package final class Monitor<Value>: Sendable {
  // Safe: the pointer never changes, and pthread functions lock what it points to on any thread.
  nonisolated(unsafe) package let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // Safe: the pointer never changes, and pthread functions signal through it on any thread.
  nonisolated(unsafe) package let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Safe: the value is read and written only while the mutex is locked.
  nonisolated(unsafe) package let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value.initialize(to: value)
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(changed, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      // The wall clock may be set during a wait with a limit.
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(changed, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
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

  /// Waits until `body` has a result, and looks at the value after each change.
  package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }
}
