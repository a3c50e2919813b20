import Testing

@testable import AuthCore

@Suite struct MachineStepTests {
  @Test("of an ignored event that repeats only the last is recorded, and every other step is")
  func repeats() {
    func step(_ event: String, _ answer: MachineStep.Answer) -> MachineStep {
      MachineStep(event: event, from: .loggedIn, to: .loggedIn, answer: answer, at: .now)
    }
    var steps = MachineSteps(limit: 3)
    let renewals = [step("renew", .ignored(.renewedRecently)), step("renew", .ignored(.renewedRecently))]
    for step in [step("check", .transition)] + renewals { steps.note(step) }
    #expect(steps.latest.map(\.event) == ["check", "renew"] && steps.latest.last == renewals.last)
    for _ in 0..<2 { steps.note(step("check", .transition)) }
    #expect(steps.latest.map(\.event) == ["renew", "check", "check"])
  }
}
