import Glibc
import Guards
import Synchronization

/// Two real threads that meet before every round, so that both make their first access
/// simultaneously.
package final class TwoThreads: Sendable {
  private let first = Atomic(0)
  private let second = Atomic(0)

  /// Calls `attempt` in each round from both threads.
  ///
  /// - Returns: The numbers of rounds in which none, one and both of the attempts returned true.
  package static func race(rounds: Int, _ attempt: @escaping @Sendable (_ round: Int) -> Bool) -> [Int] {
    let race = TwoThreads()
    let answers = results { side in
      (0..<rounds).map { round in
        race.meet(side, before: round)
        return attempt(round)
      }
    }
    return tally(answers[0], answers[1])
  }

  static func tally(_ one: [Bool], _ other: [Bool]) -> [Int] {
    zip(one, other).reduce(into: [0, 0, 0]) { $0[($1.0 ? 1 : 0) + ($1.1 ? 1 : 0)] += 1 }
  }

  /// Calls `body` on each of two threads, and waits for both.
  package static func both(_ body: @escaping @Sendable (_ side: Int) -> Void) {
    for thread in (0..<2).map({ side in startedThread { body(side) } }) { pthread_join(thread, nil) }
  }

  /// Calls `body` on two threads simultaneously, and returns both results.
  package static func answers<Answer: Sendable>(_ body: @escaping @Sendable (_ side: Int) -> Answer) -> [Answer] {
    let race = TwoThreads()
    return results { side in
      race.meet(side, before: 0)
      return body(side)
    }
  }

  private static func results<Answer: Sendable>(_ body: @escaping @Sendable (_ side: Int) -> Answer) -> [Answer] {
    let answers = Locked<[Answer?]>([nil, nil])
    both { side in
      let answer = body(side)
      answers.withLock { $0[side] = answer }
    }
    return answers.withLock { $0.compactMap(\.self) }
  }

  func meet(_ side: Int, before round: Int) {
    if side == 0 {
      Self.arrive(first, and: second, round)
    } else {
      Self.arrive(second, and: first, round)
    }
  }

  private static func arrive(_ mine: borrowing Atomic<Int>, and other: borrowing Atomic<Int>, _ round: Int) {
    mine.store(round + 1, ordering: .releasing)
    var spins = 0
    while other.load(ordering: .acquiring) <= round {
      spins += 1
      if spins % 256 == 0 { sched_yield() }
    }
  }
}
