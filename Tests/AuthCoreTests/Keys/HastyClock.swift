import AuthCore
import AuthCoreTesting

/// A clock on which a step of a logout times out immediately, so that the store does not wait for
/// its leases.
struct HastyClock: SessionClock {
  let base = ManualClock()
  let step: Duration

  func now() throws(ClockError) -> BootInstant { try base.now() }

  func sleep(for duration: Duration) async throws(CancellationError) {
    if duration != step { try await base.sleep(for: duration) }
  }
}
