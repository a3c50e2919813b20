import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite struct MachineStepTests: InWorld {
  let world = World()

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

  @Test("the machine's last steps are recorded on request, up to a limit")
  func steps() async throws {
    await store.restore()
    #expect(store.machine.steps == [])
    store.keepSteps(3)
    try await store.loggedIn(World.alice)
    #expect(store.machine.state == .loggedIn)
    /// Without the time, which differs in each run.
    func timeless(_ step: MachineStep) -> MachineStep {
      MachineStep(event: step.event, from: step.from, to: step.to, answer: step.answer)
    }
    #expect(store.machine.steps.allSatisfy { $0.at != nil })
    #expect(
      store.machine.steps.map(timeless) == [
        .init(event: "logIn", from: .loggedOut, to: .authenticating, answer: .transition),
        .init(event: "authenticated", from: .authenticating, to: .authenticating, answer: .transition),
        .init(event: "saved", from: .authenticating, to: .loggedIn, answer: .transition),
      ])
    _ = store.beginLogIn(World.bob)
    #expect(
      store.machine.steps.last.map(timeless)
        == .init(event: "logIn", from: .loggedIn, to: .loggedIn, answer: .rejected(.alreadyLoggedIn)))
    #expect(store.machine.steps.count == 3)
  }
}
