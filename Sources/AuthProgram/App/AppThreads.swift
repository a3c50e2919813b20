import AuthBackend
import AuthCore
import AuthMessages
import Glibc
import Guards
import TextFormat

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

/// What happened on other threads, for the one that draws: it waits for ``wakening`` to be
/// readable.
final class AppMailbox: Sendable {
  /// What came, in order.
  enum News: Sendable {
    /// The session changed.
    case changed(SessionChange)
    /// Work is done; it belongs after the change of the session with this number.
    case done(AppMessage, after: UInt64)
    /// Another process may have changed what shows; or why that cannot be told.
    case outside(CommandError?)
  }

  private let news = Locked<[News]>([])
  /// Readable when there may be something to take.
  let wakening: Int32
  private let waking: Int32

  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw CommandError(BackendError.unavailable(.watchFailed, "changes", ErrorNumber(errno).explanation))
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (wakening, waking) = (ends[0], ends[1])
  }

  deinit {
    close(wakening)
    close(waking)
  }

  func post(_ news: News) {
    self.news.withLock { $0.append(news) }
    var byte: UInt8 = 1
    // A full pipe is readable, which is all that counts.
    _ = write(waking, &byte, 1)
  }

  /// Takes what was posted, in order.
  func take() -> [News] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakening, &bytes, bytes.count) > 0 {}
    return news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}
