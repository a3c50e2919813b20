public import AuthCore
import ConcurrencyKit
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The computer's boot clock, with the kernel's random boot id to distinguish boots.
///
/// It counts suspended time and cannot be set, so a change of the wall clock cannot revive or end a
/// session. Restoring a virtual machine from a snapshot rewinds it; there is no defence against
/// that. Source: clock_gettime(2); random(4), `/proc/sys/kernel/random/boot_id`; on Apple's systems
/// sysctl(3), `kern.bootsessionuuid`. The code for Apple's systems has never been run.
public final class BootClock: SessionClock {
  private let bootIDPath: String
  private let known = Locked<BootID?>(nil)

  /// Creates a clock for this computer.
  public convenience init() { self.init(bootIDPath: Self.systemBootID) }

  package init(bootIDPath: String) {
    self.bootIDPath = bootIDPath
  }

  /// The current instant.
  ///
  /// - Throws: `ClockError` when the clock or the boot id cannot be read; there is no fallback.
  public func now() throws(ClockError) -> BootInstant {
    var time = timespec()
    guard clock_gettime(Self.systemClock, &time) == 0 else {
      throw ClockError("The boot clock cannot be read: \(ErrorNumber.current.explanation).")
    }
    let uptime = Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    return BootInstant(boot: try bootID(), uptime: uptime)
  }

  /// Suspends the caller without blocking a thread.
  ///
  /// - Throws: `CancellationError` as soon as the calling task is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    // The standard library's sleep traps when the current time plus the duration overflows, so this
    // sleeps for 34 years at most.
    let longest = Duration.seconds(1 << 30)
    do {
      // The standard library's continuous clock is the one of `now()`.
      try await Task.sleep(for: min(duration, longest), clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }

  private func bootID() throws(ClockError) -> BootID {
    if let id = known.withLock({ $0 }) { return id }
    let digits = try bootIDText().filter { !"-\n\0".utf8.contains($0) }
    guard let id = Hex.bytes(inAnyCase: digits).flatMap({ BootID($0) }) else {
      throw ClockError(
        "The boot id cannot be read: \(bootIDPath) does not hold 32 hexadecimal digits.",
        hint: "Session limits cannot be checked without it; mount the kernel's own /proc.")
    }
    known.withLock { $0 = id }
    return id
  }

  #if canImport(Darwin)
    private static let systemBootID = "kern.bootsessionuuid"
    // It counts suspended time, unlike CLOCK_UPTIME_RAW.
    private static var systemClock: clockid_t { CLOCK_MONOTONIC_RAW }

    private func bootIDText() throws(ClockError) -> [UInt8] {
      var text = [UInt8](repeating: 0, count: 64)
      var count = text.count
      guard sysctlbyname(bootIDPath, &text, &count, nil, 0) == 0 else {
        throw ClockError("The boot id cannot be read: \(bootIDPath): \(ErrorNumber.current.explanation).")
      }
      return Array(text.prefix(count))
    }
  #else
    private static let systemBootID = "/proc/sys/kernel/random/boot_id"
    private static var systemClock: clockid_t { CLOCK_BOOTTIME }

    private func bootIDText() throws(ClockError) -> [UInt8] {
      let descriptor = open(bootIDPath, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let error = ErrorNumber.current
        throw ClockError(
          "The boot id cannot be read: \(bootIDPath): \(error.explanation).",
          hint: error.isOfDescriptors
            ? ErrorNumber.moreDescriptors
            : error.code == ENOENT
              ? "Session limits cannot be checked without it; mount /proc."
              : "Session limits cannot be checked without it; make it readable for this user.")
      }
      defer { close(descriptor) }
      var text = [UInt8](repeating: 0, count: 64)
      let count = read(descriptor, &text, text.count)
      return Array(text.prefix(max(count, 0)))
    }
  #endif
}

extension BootID {
  /// The id as 16 bytes.
  package var bytes: [UInt8] {
    [high, low].flatMap { part in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part >> $0) } }
  }

  /// Creates an id; nil unless there are 16 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
  }
}
