import Glibc
import Testing

@testable import AuthCore

/// The shipped machine, explored exhaustively within a bound; `CHECK_DEEP=1` moves the bound out.
@Suite struct ModelCheckTests {
  private static let isDeep = getenv("CHECK_DEEP") != nil

  /// What is reached in normal use of everything, and what is reached from the middle of things.
  private static var explorations: [ModelChecker] {
    let machine: ModelJudge.Machine = { $0.handle($1) }
    let narrow = ModelBudget(logins: 1, faults: 0, strangers: 0, crashes: 0, leases: 0, work: 6)
    let faulty = ModelBudget(logins: 1, faults: 1, strangers: 1, crashes: 0, leases: 1, work: 6)
    let (first, second, third) = isDeep ? (800_000, 500_000, 500_000) : (6_000, 6_000, 12_000)
    return [
      ModelChecker(worlds: ModelWorld.launches(ModelBudget()), mostVisited: first),
      ModelChecker(worlds: ModelPrologue.sessions(narrow, machine), mostVisited: second),
      ModelChecker(worlds: ModelPrologue.sessions(faulty, machine), mostVisited: third),
    ]
  }

  @Test("every rule holds in every state that is reached, and every cell of the table is reached")
  func explore() throws {
    let start = ContinuousClock.now
    var states: Set<UInt64> = []
    var outcomes: Set<ModelOutcome> = []
    var transitions = 0
    for exploration in Self.explorations {
      let report = exploration.explore()
      try #require(report.violation == nil, "\n\(report.script ?? "")")
      states.formUnion(report.states)
      outcomes.formUnion(report.outcomes)
      transitions += report.transitions
    }
    print(
      "model check: \(states.count) states, \(transitions) transitions, \(outcomes.count) of \(ModelOutcome.all.count) "
        + "outcomes, \(ContinuousClock.now - start)")

    let unknown = outcomes.subtracting(ModelOutcome.all)
    #expect(unknown.isEmpty, "the table does not have \(unknown)")
    let unreached = ModelOutcome.all.filter { !outcomes.contains($0) }
    if Self.isDeep { #expect(unreached.isEmpty, "not reached: \(unreached)") }
    let reached = Set(outcomes.map { "\($0.state) \($0.event)" })
    let cells = Set(ModelOutcome.all.map { "\($0.state) \($0.event)" })
    #expect(cells.subtracting(reached).isEmpty, "a prologue shortens the way to a cell that is hard to reach")
    #expect(cells.count == SessionState.Kind.allCases.count * SessionEvent.Kind.allCases.count)
  }

  @Test("the machine comes to the end of every prologue")
  func prologues() {
    for prologue in ModelPrologue.all {
      #expect(prologue.play(ModelBudget(), { $0.handle($1) }) != nil, "\(prologue.words)")
    }
  }

  @Test("the article Invariants has the rules under their names, each with a sentence")
  func article() throws {
    let article = try Repository.text(of: "Sources/AuthCore/AuthCore.docc/Invariants.md")
    let room = try #require(article.split(separator: "\n## ").first { $0.hasPrefix("Rules of the machine\n") })
    let rules = room.split(separator: "\n### ").dropFirst().map { $0.split(separator: "\n") }
    #expect(rules.allSatisfy { $0.count > 1 })
    let names = rules.map { String($0[0]) }
    #expect(names == ModelRule.allCases.map(\.rawValue))
  }
}
