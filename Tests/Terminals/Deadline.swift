import Glibc

/// A limit for waiting for events outside the test; tests never sleep.
package struct Deadline {
  private let end: ContinuousClock.Instant

  package init(_ duration: Duration) {
    end = .now + duration
  }

  package var hasPassed: Bool { ContinuousClock.now >= end }

  package var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end).components
    return Int32(clamping: max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
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
