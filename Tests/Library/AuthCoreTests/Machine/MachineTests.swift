import AuthCoreTesting
import Foundation
import Testing

@testable import AuthCore

@Suite(.timeLimit(.minutes(10))) struct MachineTests: InWorld {
  let world = World()

  @Test("a new state or event does not compile until every cell is decided: no switch has a default")
  func noDefaults() throws {
    let files = try ["Machine", "Runtime", "Screens", "Session"].flatMap { room in
      try SourceFile.all(below: "Sources/Library/AuthCore/\(room)")
    }
    #expect(files.count > 20)
    for file in files {
      let code = file.code.joined(separator: "\n")
      #expect(code.range(of: #"(?m)^\s*default\s*:|@unknown"#, options: .regularExpression) == nil, "\(file.path)")
    }
  }

  @Test("of an ignored event that repeats only the last is recorded, and every other step is")
  func repeats() {
    func step(_ event: String, _ answer: MachineStep.Answer) -> MachineStep {
      MachineStep(event: event, from: .loggedIn, to: .loggedIn, answer: answer, at: .now)
    }
    var steps = MachineSteps(limit: 3) { .now }
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
    store.keepSteps(3) { .now }
    try await store.loggedIn(World.alice)
    #expect(store.machine.state == .loggedIn)
    #expect(store.machine.steps.allSatisfy { $0.at != nil && $0.answer == .transition })
    #expect(
      store.machine.steps.map { "\($0.event): \($0.from) -> \($0.to)" } == [
        "logIn: loggedOut -> authenticating", "answered: authenticating -> authenticating",
        "saved: authenticating -> loggedIn",
      ])
    _ = store.beginLogIn(World.bob)
    let last = try #require(store.machine.steps.last)
    #expect(last.event == "logIn" && last.answer == .rejected(.alreadyLoggedIn) && last.to == .loggedIn)
    #expect(store.machine.steps.count == 3)
  }
}
