import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import Services
import Testing

@Suite struct ClockTests {
  @Test("the boot clock reads the kernel's boot id and does not go back") func bootClock() throws {
    let work = Workspace()
    let clock = BootClock()
    let (first, second) = (try clock.now(), try clock.now())
    #expect(first.boot == second.boot && first.uptime <= second.uptime)
    let digits = work.run("tr -d - < /proc/sys/kernel/random/boot_id")
    #expect(
      first.boot
        == BootID(
          high: try #require(UInt64(digits.prefix(16), radix: 16)),
          low: try #require(UInt64(digits.suffix(16), radix: 16))))
  }

  @Test(
    "an unreadable boot id is a failure and not a guess",
    arguments: ["/nonexistent", "/dev/null", "/proc/version"])
  func unreadable(path: String) {
    #expect(throws: ClockError.self) { try BootClock(bootIDPath: path).now() }
  }

  @Test("a cancelled sleep ends at once") func sleep() async {
    let task = Task { try await BootClock().sleep(for: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    "a sleep of any length can be slept, and cancelled",
    arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max)])
  func longSleep(duration: Duration) async {
    let task = Task.immediate { try await BootClock().sleep(for: duration) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("ISO 8601 in UTC, before and after the epoch") func iso8601() {
    #expect(WallTime(microseconds: 1_795_247_333_999_999).iso8601 == "2026-11-21T07:48:53Z")
    #expect(WallTime(microseconds: -1).iso8601 == "1969-12-31T23:59:59Z")
  }
}
