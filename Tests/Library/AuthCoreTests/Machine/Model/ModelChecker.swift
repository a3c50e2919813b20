@testable import AuthCore

/// Explores every reachable world within a bound, nearest first, so that the first violation has
/// the shortest script.
struct ModelChecker {
  /// The result of an exploration.
  struct Report: CustomStringConvertible {
    /// Hashes of the worlds, without numbers and the budget: among a million worlds, two collide
    /// with a probability of 3 in 10^8.
    var states: Set<Int> = []
    var transitions = 0
    var outcomes: [ModelOutcome: String] = [:]
    var violation: ModelViolation?
    /// The steps that lead to the violation.
    var script: String?

    var description: String { "\(states.count) states, \(transitions) transitions" }
  }

  var handle: ModelJudge.Machine = { $0.handle($1) }
  let worlds: [ModelWorld]
  let mostVisited: Int

  private struct Visit {
    let parent: Int32
    let step: ModelStep?
  }

  func explore() -> Report {
    let judge = ModelJudge(handle)
    var report = Report()
    var seen: Set<Int> = []
    var visits: [Visit] = []
    var frontier: [(Int32, ModelWorld)] = []

    func visit(_ world: ModelWorld, _ parent: Int32, _ step: ModelStep?) -> Int32? {
      let hash = ModelEncoder.hash(of: world)
      guard seen.insert([hash, world.budget.hashValue].hashValue).inserted else { return nil }
      report.states.insert(hash)
      visits.append(Visit(parent: parent, step: step))
      return Int32(visits.count - 1)
    }

    for world in worlds {
      if let number = visit(world, -1, nil) { frontier.append((number, world)) }
    }
    search: while !frontier.isEmpty {
      var next: [(Int32, ModelWorld)] = []
      for (number, world) in frontier {
        for step in world.steps() {
          var reached = world
          reached.take(step, judge)
          report.transitions += 1
          if let violation = judge.violation {
            report.violation = violation
            report.script = script(visits, number, step)
            break search
          }
          if let number = visit(reached, number, step) { next.append((number, reached)) }
        }
        if visits.count >= mostVisited { break search }
      }
      frontier = next
    }
    report.outcomes = judge.outcomes
    return report
  }

  /// Replays the steps from the launch, and records what happens.
  private func script(_ visits: [Visit], _ last: Int32, _ step: ModelStep) -> String {
    var steps = [step]
    var number = last
    while let step = visits[Int(number)].step {
      steps.append(step)
      number = visits[Int(number)].parent
    }
    var world = worlds[Int(number)]
    let judge = ModelJudge(handle)
    var lines = [world.prologue]
    for step in steps.reversed() { lines += world.takeInWords(step, judge) }
    if let violation = judge.violation { lines.append("BROKEN \(violation)") }
    return lines.joined(separator: "\n")
  }
}
