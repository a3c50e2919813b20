import Dispatch

/// Two tasks that meet before every round, each on a thread of its own: blocking tests may hold the
/// shared threads.
package enum TwoTasks {
  /// Calls `attempt` in each round from both tasks.
  ///
  /// - Returns: The numbers of rounds in which none, one and both of the attempts returned true.
  package static func race(rounds: Int, _ attempt: @escaping @Sendable (_ round: Int) async -> Bool) async -> [Int] {
    let meeting = TwoThreads()
    @Sendable func side() async -> [Bool] {
      var answers: [Bool] = []
      for round in 0..<rounds {
        meeting.meet()
        answers.append(await attempt(round))
      }
      return answers
    }
    async let one = Task(executorPreference: OneThread()) { await side() }.value
    async let other = Task(executorPreference: OneThread()) { await side() }.value
    return TwoThreads.tally(await one, await other)
  }
}

private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "OneThread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
