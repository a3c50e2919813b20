import ConcurrencyKit
import Dispatch
import Glibc
import Synchronization

/// Two real threads that meet before every round, so that both make their first access
/// simultaneously.
package final class TwoThreads: Sendable {
  /// Three times the finished rounds; one more while a thread spins, two more while it blocks.
  private let arrivals = Atomic(0)
  /// The arrivals at which the thread that came first was last seen running.
  private let awake = Atomic(0)
  /// One for every other round: a thread may block in the next one before the other one has woken.
  private let bells = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
  /// Enough that two threads that run meet without blocking.
  private static let longestSpin = 4_000

  /// Calls `attempt` in each round from both threads.
  ///
  /// - Returns: The numbers of rounds in which none, one and both of the attempts returned true.
  package static func race(rounds: Int, _ attempt: @escaping @Sendable (_ round: Int) -> Bool) -> [Int] {
    let race = TwoThreads()
    let answers = results { _ in
      (0..<rounds).map { round in
        race.meet()
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
      race.meet()
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

  /// Returns to both threads when both have called it.
  ///
  /// A thread that has looked ``longestSpin`` times blocks: if it yielded, every busy process would
  /// run before it in each round. The other thread then spins, at most as often, until the first
  /// one runs again, so that both start together.
  func meet() {
    let before = arrivals.load(ordering: .acquiring)
    let both = before - before % 3 + 3
    var spins = 0
    if before % 3 == 0, move(before, to: before + 1) {
      while spins < Self.longestSpin, arrivals.load(ordering: .acquiring) == before + 1 { spins += 1 }
      if move(before + 1, to: before + 2) { bells[both % 2].wait() }
      awake.store(both, ordering: .releasing)
    } else {
      if arrivals.exchange(both, ordering: .acquiringAndReleasing) % 3 == 2 { bells[both % 2].signal() }
      while spins < Self.longestSpin, awake.load(ordering: .acquiring) < both { spins += 1 }
    }
  }

  private func move(_ old: Int, to new: Int) -> Bool {
    arrivals.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }
}
