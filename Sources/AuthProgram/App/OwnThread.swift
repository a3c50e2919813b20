import Glibc

/// Runs what may block on a thread of its own, so that the screen and other tasks go on.
enum OwnThread {
  /// Begins `body` on a new thread.
  ///
  /// Signals go to the thread that draws. What follows a suspension runs where the system has it
  /// run.
  static func start(_ body: @escaping @Sendable () async -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let job = Unmanaged.passRetained(Job(body: body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        let job = Unmanaged<Job>.fromOpaque(raw).takeRetainedValue()
        Task.immediateDetached { await job.body() }
        return nil
      }, job.toOpaque())
    if error == 0 {
      pthread_detach(thread)
    } else {
      // No thread is left: it is done all the same, on one that is shared.
      job.release()
      Task.detached { await body() }
    }
  }

  private final class Job: Sendable {
    let body: @Sendable () async -> Void

    init(body: @escaping @Sendable () async -> Void) {
      self.body = body
    }
  }
}
