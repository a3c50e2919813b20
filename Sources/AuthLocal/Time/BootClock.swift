import AuthBackend
public import AuthCore

/// The machine's boot clock: `CLOCK_BOOTTIME`, and the kernel's random boot id to tell one boot
/// from the next.
///
/// It counts suspended time and cannot be set, so moving the wall clock neither revives nor ends a
/// session. A virtual machine that is restored from a snapshot rewinds it; that is not defended.
/// Source: clock_gettime(2); random(4), `/proc/sys/kernel/random/boot_id`.
public final class BootClock: SessionClock {
  private let machine: MachineClock

  /// Creates a clock for this machine.
  public init() {
    machine = MachineClock()
  }

  package init(bootIDPath: String) {
    machine = MachineClock(bootIDPath: bootIDPath)
  }

  /// The present instant.
  ///
  /// - Throws: `ClockError` when the clock or the boot id cannot be read; nothing is assumed in
  ///   their place.
  public func now() throws(ClockError) -> BootInstant { try machine.now() }

  /// Suspends the caller without holding a thread.
  ///
  /// - Throws: `CancellationError` as soon as the calling task is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    try await machine.sleep(for: duration)
  }
}
