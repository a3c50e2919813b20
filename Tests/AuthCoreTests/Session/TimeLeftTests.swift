import Testing

@testable import AuthCore

@Suite struct TimeLeftTests {
  private let now = BootInstant(boot: BootID(high: 0, low: 1), uptime: .seconds(100))

  @Test("an authority can ask which limit has passed, and how much time is left")
  func endReason() {
    func limits(_ idle: Deadline, _ absolute: Deadline) -> SessionLimits {
      SessionLimits(idle: idle, absolute: absolute, fresh: .never)
    }
    func at(_ seconds: Int) -> Deadline { .at(BootInstant(boot: now.boot, uptime: .seconds(seconds))) }
    let otherBoot = Deadline.at(BootInstant(boot: BootID(high: 0, low: 2), uptime: .seconds(500)))
    #expect(limits(at(101), at(200)).endReason(at: now) == nil)
    #expect(limits(at(101), at(200)).timeLeft(at: now) == .seconds(1))
    #expect(limits(at(100), at(200)).endReason(at: now) == .expired(.idle))
    #expect(limits(at(90), at(100)).endReason(at: now) == .expired(.absolute))
    #expect(limits(at(90), at(100)).timeLeft(at: now) == .zero)
    #expect(limits(.never, .never).endReason(at: now) == nil && limits(.never, .never).timeLeft(at: now) == nil)
    #expect(limits(.unknown, .never).endReason(at: now) == .expired(.idle))
    #expect(limits(.unknown, .never).timeLeft(at: now) == .zero)
    #expect(limits(otherBoot, at(1)).endReason(at: now) == .rebooted && otherBoot.timeLeft(at: now) == .zero)
  }
}
