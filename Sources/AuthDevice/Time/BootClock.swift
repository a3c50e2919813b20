public import AuthCore
import Glibc
import Guards
import TextFormat

/// The machine's boot clock: `CLOCK_BOOTTIME`, and the kernel's random boot id to tell one boot
/// from the next.
///
/// It counts suspended time and cannot be set, so moving the wall clock neither revives nor ends a
/// session. A virtual machine that is restored from a snapshot rewinds it; that is not defended.
/// Source: clock_gettime(2); random(4), `/proc/sys/kernel/random/boot_id`.
public final class BootClock: SessionClock {
  private let bootIDPath: String
  private let known = Locked<BootID?>(nil)
  private static let longestSleep = Duration.seconds(86_400)

  /// Creates a clock for this machine.
  public convenience init() {
    self.init(bootIDPath: "/proc/sys/kernel/random/boot_id")
  }

  package init(bootIDPath: String) {
    self.bootIDPath = bootIDPath
  }

  /// The present instant.
  ///
  /// - Throws: `ClockError` when the clock or the boot id cannot be read; nothing is assumed in
  ///   their place.
  public func now() throws(ClockError) -> BootInstant {
    var time = timespec()
    guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else {
      throw ClockError("The boot clock cannot be read: \(ErrorNumber.current.explanation).")
    }
    let uptime = Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    return BootInstant(boot: try bootID(), uptime: uptime)
  }

  /// Suspends the caller without holding a thread.
  ///
  /// - Throws: `CancellationError` as soon as the calling task is cancelled.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    var left = duration
    do {
      // In pieces: the standard library's sleep traps on a time that it cannot add to its own.
      while left > Self.longestSleep {
        try await Task.sleep(for: Self.longestSleep, clock: .continuous)
        left -= Self.longestSleep
      }
      // The standard library's continuous clock is CLOCK_BOOTTIME on Linux.
      try await Task.sleep(for: left, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }

  private func bootID() throws(ClockError) -> BootID {
    if let id = known.withLock({ $0 }) { return id }
    let id = try readBootID()
    known.withLock { $0 = id }
    return id
  }

  private func readBootID() throws(ClockError) -> BootID {
    let descriptor = open(bootIDPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = ErrorNumber.current
      throw ClockError(
        "The boot id cannot be read: \(bootIDPath): \(error.explanation).",
        hint: error.isOfDescriptors
          ? ErrorNumber.moreDescriptors
          : error.code == ENOENT
            ? "Without it no limit can be judged; mount /proc."
            : "Without it no limit can be judged; make it readable for this user.")
    }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &text, text.count)
    let digits = text.prefix(max(count, 0)).compactMap { Hex.value(of: $0) }
    guard digits.count == 32 else {
      throw ClockError(
        "The boot id cannot be read: \(bootIDPath) does not hold 32 hexadecimal digits.",
        hint: "Without it no limit can be judged; let the kernel's own file be seen there.")
    }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 4 | UInt64($1) } }
    return BootID(high: number(digits[0..<16]), low: number(digits[16..<32]))
  }
}

extension BootID {
  package var bytes: [UInt8] {
    [high, low].flatMap { part in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part >> $0) } }
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
  }
}
