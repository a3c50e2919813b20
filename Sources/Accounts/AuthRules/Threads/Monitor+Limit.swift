package import ConcurrencyKit
import Glibc
// Swift 6.3 takes the fields of `timespec` for its, depending on the order of the files.
import SwiftOverlayShims

extension Monitor {
  /// Waits until `body` has a result.
  ///
  /// - Parameters:
  ///   - limit: How long at most.
  ///   - body: Looks at the value after each change; nil goes on waiting.
  /// - Returns: Nil when the time is over.
  package func wait<Result>(atMost limit: Duration, _ body: (inout Value) -> Result?) -> Result? {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, attoseconds) = limit.components
    end.tv_sec += Int(seconds)
    end.tv_nsec += Int(attoseconds / 1_000_000_000)
    if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      if pthread_cond_timedwait(changed, mutex, &end) == ETIMEDOUT { return body(&value.pointee) }
    }
  }
}
