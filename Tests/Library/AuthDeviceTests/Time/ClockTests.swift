import AuthAccounts
import AuthCore
import AuthDevice
import Services
import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct ClockTests {
  @Test("the boot clock reads the kernel's boot id and does not go back") func bootClock() throws {
    let work = Workspace()
    let clock = BootClock()
    let (first, second) = (try clock.now(), try clock.now())
    #expect(first.boot == second.boot && first.uptime <= second.uptime)
    let digits = work.run("tr -d - < /proc/sys/kernel/random/boot_id")
    #expect(try first.boot == BootID(#require(Hex.bytes(Array(digits.utf8)))))
  }

  @Test("a boot id is read in upper case too, as Apple's systems write it") func upperCase() throws {
    let work = Workspace()
    work.run("echo 0123ABCD-4567-89EF-FEDC-BA9876543210 > '\(work.path)/id'")
    let boot = try BootClock(bootIDPath: work.path + "/id").now().boot
    #expect(boot == BootID(high: 0x0123_ABCD_4567_89EF, low: 0xFEDC_BA98_7654_3210))
  }

  @Test(
    "an unreadable boot id is a failure and not a guess", arguments: ["/nonexistent", "/dev/null", "/proc/version"])
  func unreadable(path: String) {
    #expect(throws: ClockError.self) { try BootClock(bootIDPath: path).now() }
  }

  @Test(
    "a sleep of any length can be slept, and cancelled",
    arguments: [Duration.seconds(3600), .seconds(Int64.max), .nanoseconds(Int64.max)])
  func longSleep(duration: Duration) async {
    let task = Task.immediate { try await BootClock().sleep(for: duration) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
