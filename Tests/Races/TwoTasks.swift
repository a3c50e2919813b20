import Glibc
import Synchronization

/// Two tasks that meet before every round.
///
/// The wait at a meeting is bounded, because the pool may have only one free thread.
package final class TwoTasks: Sendable {
  private let first = Atomic(0)
  private let second = Atomic(0)

  /// Calls `attempt` in each round from both tasks.
  ///
  /// - Returns: The numbers of rounds in which none, one and both of the attempts returned true.
  package static func race(rounds: Int, _ attempt: @escaping @Sendable (_ round: Int) async -> Bool) async -> [Int] {
    let meeting = TwoTasks()
    @Sendable func side(_ side: Int) async -> [Bool] {
      var answers: [Bool] = []
      for round in 0..<rounds {
        meeting.meet(side, before: round)
        answers.append(await attempt(round))
      }
      return answers
    }
    async let one = Task.detached { await side(0) }.value
    async let other = Task.detached { await side(1) }.value
    return zip(await one, await other).reduce(into: [0, 0, 0]) { $0[($1.0 ? 1 : 0) + ($1.1 ? 1 : 0)] += 1 }
  }

  private func meet(_ side: Int, before round: Int) {
    if side == 0 {
      Self.arrive(first, and: second, round)
    } else {
      Self.arrive(second, and: first, round)
    }
  }

  private static func arrive(_ mine: borrowing Atomic<Int>, and other: borrowing Atomic<Int>, _ round: Int) {
    mine.store(round + 1, ordering: .releasing)
    for spin in 0..<5_000 where other.load(ordering: .acquiring) <= round {
      if spin % 256 == 255 { sched_yield() }
    }
  }
}
