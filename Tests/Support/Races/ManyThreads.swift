import ConcurrencyKit
import Glibc

/// Calls `body` on so many threads simultaneously, and returns all results.
package func onThreads<Answer: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Answer) -> [Answer] {
  let answers = Locked<[Answer]>([])
  let threads = (0..<count).map { number in
    startedThread {
      let answer = body(number)
      answers.withLock { $0.append(answer) }
    }
  }
  for thread in threads { pthread_join(thread, nil) }
  return answers.withLock { $0 }
}
