import CommandLineKit
import Glibc
import TextFormat

/// A thread of its own for what may block, so that the screen and other tasks go on.
enum OwnThread {
  /// Begins `body` on a new thread.
  ///
  /// Signals go to the thread that draws.
  static func start(_ body: @escaping @Sendable () -> Void) throws(CommandError) {
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
        if let raw { Unmanaged<Job>.fromOpaque(raw).takeRetainedValue().body() }
        return nil
      }, job.toOpaque())
    guard error == 0 else {
      job.release()
      throw .screenCannotWork(error)
    }
    pthread_detach(thread)
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}

/// Counts what happened, for a thread that waits for it.
final class Signal: Sendable {
  // The pointer never changes, any thread may call the functions of a semaphore, and it is freed
  // when nobody has this object any more.
  private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func send() {
    sem_post(semaphore)
  }

  /// Waits until it was sent once more than was waited for.
  func wait() {
    while sem_wait(semaphore) != 0 {}
  }
}

extension CommandError {
  static func screenCannotWork(_ error: Int32) -> CommandError {
    CommandError(
      .watchFailed, "the screen cannot be told what changes: \(ErrorNumber(error).explanation)",
      hint: "Close other programs, then try again.")
  }
}
