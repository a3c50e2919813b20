import AuthCore
import AuthCoreTesting

/// A clock on which the time for a step of a logout is over at once, so that a store on it does not
/// wait for its leases.
struct HastyClock: SessionClock {
  let base = ManualClock()
  let step: Duration

  func now() throws(ClockError) -> BootInstant { try base.now() }

  func sleep(for duration: Duration) async throws(CancellationError) {
    if duration != step { try await base.sleep(for: duration) }
  }
}
