import ConcurrencyKit
import Guards
import Synchronization
import Testing

/// The suites of RunOnce run one after the other, because some count the records of the whole
/// process.
@Suite("RunOnce", .serialized, .timeLimit(.minutes(10)))
enum RunOnceSuites {}

/// An object that counts the runs of its bodies.
final class Visited: RunsOnce, Sendable {
  let runs = Atomic(0)
  let ends = Atomic(0)

  @discardableResult
  func visit() -> RunOnce.Outcome {
    runOnce { runs.add(1, ordering: .relaxed) }
  }

  @discardableResult
  func visitAndWait() async -> RunOnce.Outcome {
    await runOnce {
      self.runs.add(1, ordering: .relaxed)
      await Task.yield()
      self.ends.add(1, ordering: .relaxed)
    }
  }
}

/// Records the results of calls, and how often a body ran.
final class Diary: Sendable {
  let runs = Atomic(0)
  private let entries = Locked<[RunOnce.Outcome]>([])
  func write(_ outcome: RunOnce.Outcome) { entries.withLock { $0.append(outcome) } }
  var all: [RunOnce.Outcome] { entries.withLock { $0 } }
}
