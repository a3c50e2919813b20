import ConcurrencyKit

#if canImport(Darwin)
  import Darwin
#endif

extension WorkExecutor {
  /// Starts work that outlives its caller.
  func start(_ work: sending @escaping () async -> Void) {
    switch self {
    case .separateThreads: WorkThreads.shared.start(work)
    case .callingThread: startAtOnce(work)
    }
  }
}

extension SessionCore {
  /// Starts work that outlives its caller, and counts it until it ends.
  func start(_ work: @escaping @Sendable () async -> Void) {
    withLock { $0.running += 1 }
    executor.start {
      await work()
      self.withLock { inner -> [Promise<Void>] in
        inner.running -= 1
        guard inner.running == 0 else { return [] }
        defer { inner.quiet = [] }
        return inner.quiet
      }.forEach { $0.fulfil(()) }
    }
  }

  /// Waits until no work is running and all observers were notified of all changes.
  func untilQuiet() async {
    while !Task.isCancelled {
      let (end, revision) = withLock { inner in
        let end = Promise<Void>()
        if inner.running == 0 { end.fulfil(()) } else { inner.quiet.append(end) }
        return (end, inner.revision)
      }
      _ = await end.value()
      await observersKnow()
      // An observer may have sent a command.
      if withLock({ $0.running == 0 && $0.revision == revision }) { return }
    }
  }
}

extension SessionLease {
  /// Runs a call that may block where the store calls its authority; when the store was released,
  /// on the calling thread.
  package func onWorkExecutor<Value: Sendable, Failure: Error>(
    _ call: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let core = gate.core, core.executor == .separateThreads else { return try call() }
    let result = Promise<Result<Value, Failure>>()
    core.start { result.fulfil(Result { () throws(Failure) in try call() }) }
    return try await result.valueUncancelled().get()
  }
}

extension SessionStore {
  /// Waits until no work is running and all observers were notified of all changes.
  package func quiet() async { await core.untilQuiet() }
}

/// Runs a call on the main actor: before this returns if the caller is on it, otherwise soon.
func onMainActor(_ call: @escaping @MainActor @Sendable () -> Void) {
  #if canImport(Darwin)
    // `Task.immediate` is newer than the oldest system; there, the main thread is that of the
    // actor.
    if pthread_main_np() != 0 {
      MainActor.assumeIsolated { call() }
    } else {
      Task { @MainActor in call() }
    }
  #else
    Task.immediate { @MainActor in call() }
  #endif
}

/// Runs each part of a task, from one suspension to the next, on a thread that no other work
/// blocks.
///
/// The system has one shared thread for each processor core, so a few blocking calls would block
/// every other task. Here a part runs on an idle thread, or on a new one if none is idle. A few
/// idle threads stay for the next part, and the others end.
package final class WorkThreads: TaskExecutor {
  /// The threads of the stores.
  static let shared = WorkThreads(blocksSignals: false)
  /// Threads that handle no signal, for a program with a thread that does.
  package static let withoutSignals = WorkThreads(blocksSignals: true)

  private struct State {
    /// The jobs that idle threads are about to take.
    var jobs: [UnownedJob] = []
    /// The number of idle threads.
    var idle = 0
  }

  private let state = Monitor(State())
  private let blocksSignals: Bool

  private init(blocksSignals: Bool) {
    self.blocksSignals = blocksSignals
  }

  /// Starts work that ends by itself, or with the process.
  package func start(_ work: sending @escaping () async -> Void) {
    Task(executorPreference: self) { await work() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if give(job) || startThread(blockingSignals: blocksSignals, { self.work(job) }) { return }
    // No new thread is available, so the work runs on a shared one.
    globalConcurrentExecutor.enqueue(job)
  }

  /// The work of one thread.
  private func work(_ first: UnownedJob) {
    var next: UnownedJob? = first
    while let job = next {
      job.runSynchronously(on: asUnownedTaskExecutor())
      next = wait()
    }
  }

  /// Gives a job to an idle thread, or returns false if each of them already has one.
  private func give(_ job: UnownedJob) -> Bool {
    state.change(if: { !$0.jobs.isEmpty }) { state in
      guard state.idle > state.jobs.count else { return false }
      state.jobs.append(job)
      return true
    }
  }

  /// Waits for a job; nil if enough threads wait already.
  private func wait() -> UnownedJob? {
    let waits = state.withLock { state in
      guard state.idle < 4 else { return false }
      state.idle += 1
      return true
    }
    guard waits else { return nil }
    return state.wait { state in
      guard !state.jobs.isEmpty else { return nil }
      state.idle -= 1
      return state.jobs.removeFirst()
    }
  }
}
