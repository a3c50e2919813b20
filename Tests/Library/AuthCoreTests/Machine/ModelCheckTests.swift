import Foundation
import Testing

@testable import AuthCore

/// Explores the shipped machine exhaustively within a bound; `CHECK_DEEP=1` extends the bound.
@Suite(.timeLimit(.minutes(240))) struct ModelCheckTests {
  private static let isDeep = getenv("CHECK_DEEP") != nil

  /// One exploration of normal use, and others that start in later situations.
  private static var explorations: [ModelChecker] {
    let machine: ModelJudge.Machine = { $0.handle($1) }
    let narrow = ModelBudget(logins: 1, faults: 0, strangers: 0, crashes: 0, leases: 0, work: 6)
    let faulty = ModelBudget(logins: 1, faults: 1, strangers: 1, crashes: 0, leases: 1, work: 6)
    let (first, second, third) = isDeep ? (800_000, 500_000, 500_000) : (6_000, 8_000, 16_000)
    return [
      ModelChecker(worlds: ModelWorld.launches(ModelBudget()), mostVisited: first),
      ModelChecker(worlds: ModelPrologue.sessions(narrow, machine), mostVisited: second),
      ModelChecker(worlds: ModelPrologue.sessions(faulty, machine), mostVisited: third),
    ]
  }

  /// `RECORD_GOLDEN=1` writes the table from the exploration; read the difference before you commit
  /// it.
  @Test("every rule holds in every reached state, and the reached outcomes are the table of the machine")
  func explore() throws {
    let start = ContinuousClock.now
    var states: Set<Int> = []
    var outcomes: [ModelOutcome: String] = [:]
    var transitions = 0
    for exploration in Self.explorations {
      let report = exploration.explore()
      try #require(report.violation == nil, "\n\(report.script ?? "")")
      states.formUnion(report.states)
      outcomes.merge(report.outcomes) { first, _ in first }
      transitions += report.transitions
    }
    print(
      "model check: \(states.count) states, \(transitions) transitions, \(outcomes.count) outcomes, "
        + "\(ContinuousClock.now - start)")
    let cells = Set(outcomes.keys.map { "\($0.state) \($0.event)" })
    #expect(
      cells.count == SessionState.Kind.allCases.count * ModelOutcome.events.count,
      "a prologue shortens the way to a cell that is hard to reach")

    let rows = ModelOutcome.rows(outcomes)
    if getenv("RECORD_GOLDEN") != nil {
      let text = rows.map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: URL(filePath: Repository.root + "/" + ModelOutcome.path))
    }
    let table = try Repository.text(of: ModelOutcome.path).split(separator: "\n").map(String.init)
    // A deeper exploration may find another example first, but no other outcome.
    func outcome(_ row: String) -> [Substring] {
      Array(row.split(separator: "\t", omittingEmptySubsequences: false).prefix(4))
    }
    let (known, reached) = (Set(table.map(outcome)), Set(rows.map(outcome)))
    #expect(reached.subtracting(known).isEmpty, "record the table: see RECORD_GOLDEN in CONTRIBUTING.md")
    #expect(known.subtracting(reached).isEmpty, "nothing leads there; a prologue may shorten the way")
  }

  @Test("the machine reaches the end of every prologue")
  func prologues() {
    for prologue in ModelPrologue.all {
      #expect(prologue.play(ModelBudget(), { $0.handle($1) }) != nil, "\(prologue.moves)")
    }
  }

  @Test("the article Invariants has each rule under its name, with a sentence")
  func article() throws {
    let article = try Repository.text(of: "Sources/Library/AuthCore/AuthCore.docc/Invariants.md")
    let room = try #require(article.split(separator: "\n## ").first { $0.hasPrefix("Rules of the machine\n") })
    let rules = room.split(separator: "\n### ").dropFirst().map { $0.split(separator: "\n") }
    #expect(rules.allSatisfy { $0.count > 1 })
    let names = rules.map { String($0[0]) }
    #expect(names == ModelRule.allCases.map(\.rawValue))
  }
}
