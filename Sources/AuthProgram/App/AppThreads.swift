import Glibc

/// The one place where the screen hands work to a thread: each part of a task runs on a thread of
/// its own.
///
/// What blocks there, such as a server that does not answer, holds up neither the screen nor other
/// work. Signals go to the thread that draws.
final class AppThreads: TaskExecutor {
  private static let shared = AppThreads()

  /// Starts work that ends by itself, or with the process.
  static func start(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: shared) { await work() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let part = Part(UnownedJob(job), self)
    // No thread is left: the work is done all the same, on one that is shared.
    if !part.runsOnNewThread() { globalConcurrentExecutor.enqueue(part.job) }
  }

  private final class Part: Sendable {
    let job: UnownedJob
    let executor: AppThreads

    init(_ job: UnownedJob, _ executor: AppThreads) {
      self.job = job
      self.executor = executor
    }

    /// Returns false when there is no new thread.
    func runsOnNewThread() -> Bool {
      var all = sigset_t()
      var before = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      let part = Unmanaged.passRetained(self)
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { raw in
          if let raw {
            let part = Unmanaged<Part>.fromOpaque(raw).takeRetainedValue()
            part.job.runSynchronously(on: part.executor.asUnownedTaskExecutor())
          }
          return nil
        }, part.toOpaque())
      guard error == 0 else {
        part.release()
        return false
      }
      pthread_detach(thread)
      return true
    }
  }
}
