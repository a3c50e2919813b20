import AuthCore
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
    let job = UnownedJob(job)
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let isStarted = startThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    // No thread is left: the work is done all the same, on one that is shared.
    if !isStarted { globalConcurrentExecutor.enqueue(job) }
  }
}
