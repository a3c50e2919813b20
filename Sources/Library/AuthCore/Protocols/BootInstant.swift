/// Identifies one run of the computer, from power-on to power-off.
///
/// On Linux this is `/proc/sys/kernel/random/boot_id`. Instants of different boots cannot be
/// compared.
public struct BootID: Hashable, Sendable {
  /// The upper 64 bits.
  public let high: UInt64
  /// The lower 64 bits.
  public let low: UInt64

  /// Creates an identity from its 128 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// A moment on the boot clock: the boot, and the time since it began.
///
/// The boot clock counts suspended time and cannot be set, so a change of the wall clock cannot
/// revive or end a session.
public struct BootInstant: Hashable, Sendable {
  /// The run of the computer to which the instant belongs.
  public let boot: BootID
  /// The time since that boot began, including suspended time.
  public let uptime: Duration

  /// Creates an instant.
  public init(boot: BootID, uptime: Duration) {
    self.boot = boot
    self.uptime = uptime
  }

  /// The instant `duration` later in the same boot.
  public func advanced(by duration: Duration) -> BootInstant {
    BootInstant(boot: boot, uptime: uptime + duration)
  }
}
