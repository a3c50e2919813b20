import Glibc

/// A moment that limits a wait for events outside the test; tests never sleep.
package typealias Deadline = SuspendingClock.Instant

extension Deadline {
  package init(_ duration: Duration) { self = SuspendingClock.now + duration }

  /// Polls a condition for which there is no event.
  ///
  /// The pause leaves the processor to the program under test; no result depends on its length.
  package func wait(until condition: () -> Bool) -> Bool {
    while !condition() {
      if SuspendingClock.now >= self { return false }
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
    return true
  }
}
