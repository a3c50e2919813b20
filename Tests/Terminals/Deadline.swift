import Glibc

/// A limit for waiting for events outside the test; tests never sleep.
package struct Deadline {
  private let end: ContinuousClock.Instant

  package init(_ duration: Duration) {
    end = .now + duration
  }

  package var hasPassed: Bool { ContinuousClock.now >= end }

  package var milliseconds: Int32 {
    Int32(clamping: Int64(max(0, ContinuousClock.now.duration(to: end) / .milliseconds(1))))
  }

  /// Polls a condition for which there is no event.
  package func wait(until condition: () -> Bool) -> Bool {
    while !condition() {
      if hasPassed { return false }
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      nanosleep(&pause, nil)
    }
    return true
  }
}
