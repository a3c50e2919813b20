import AuthAccounts
import AuthCore
import AuthService
import ConcurrencyKit
import Glibc

/// A request that waits for a thread, or runs on one.
struct Job: Sendable {
  enum Kind: Sendable {
    case request(Request)
    case subscribe(SessionToken)
    /// Notify a subscriber that something changed; this has no answer.
    case tell(SessionToken)
  }

  let connection: Connection
  let id: UInt32
  let kind: Kind
  let since = ContinuousClock.now
}

/// Threads that perform jobs of one kind in the order of a ``FairQueue``.
final class JobPool: Sendable {
  private struct State {
    var queue: FairQueue<Job>
    var isOver = false
    /// The time that a job takes, as a moving average.
    var average = Duration.zero

    mutating func finish(_ user: uid_t, after time: Duration) {
      average = average == .zero ? time : (average * 7 + time) / 8
      queue.finished(user)
    }
  }

  private let threads: Int
  private let state: Monitor<State>

  /// - Parameters:
  ///   - threads: The number of threads.
  ///   - ofUser: The most threads that one user may occupy.
  ///   - together: The threads that busy users divide equally; each may occupy at least one.
  ///   - share: The limits of waiting jobs.
  init(threads: Int, ofUser: Int, together: Int = .max, _ share: ServiceLimits.Share) {
    self.threads = threads
    state = Monitor(State(queue: FairQueue(share, runningOfUser: ofUser, runningTogether: together)))
  }

  /// - Returns: False when a thread could not be started.
  func start(_ perform: @escaping @Sendable (Job) -> Void) -> Bool {
    (0..<threads).allSatisfy { _ in startThread { self.run(perform) } }
  }

  private func run(_ perform: (Job) -> Void) {
    var last: (user: uid_t, took: Duration)?
    // The thread that finishes a job takes the next one, so it need not wake another. If the share
    // of other users has become larger, they use the rest of it from the next request on.
    while let (user, job) = state.wait({ state -> (user: uid_t, job: Job)?? in
      if let last { state.finish(last.user, after: last.took) }
      last = nil
      if let next = state.queue.next() { return next }
      return state.isOver ? .some(nil) : nil
    }) ?? nil {
      let began = ContinuousClock.now
      // No client waits for the job if its connection is closed.
      if job.connection.isOpen { perform(job) }
      last = (user, ContinuousClock.now - began)
    }
  }

  /// Adds a job to the queue.
  ///
  /// - Returns: The job that has no place and is not performed, this one or another one; see
  ///   ``FairQueue/append(_:of:)``.
  func submit(_ job: Job) -> Job? {
    let caller = job.connection.peer.caller
    return state.change(if: { $0.queue.canRun }) { $0.isOver ? job : $0.queue.append(job, of: caller) }
  }

  /// Removes and returns all waiting jobs; running jobs continue, and no other job starts.
  func close() -> [Job] {
    state.change(wakingAll: true) { state in
      state.isOver = true
      return state.queue.removeAll()
    }
  }

  /// The numbers of waiting and running jobs, and the time that a new job would wait.
  var load: ServiceStatus.Load {
    state.withLock { state in
      let oldest = state.queue.oldest.map(\.since).min().map { .now - $0 } ?? .zero
      return (state.queue.count, state.queue.runningCount, state.average * (state.queue.count + 1) / threads, oldest)
    }
  }
}
