import Guards

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Where the store calls the authority and the vault.
enum WorkPlace: Sendable {
  /// On separate threads, so that a blocking call does not block other work.
  case ownThreads
  /// On the calling thread, until the work first suspends.
  case callingThread

  /// Starts work that outlives its caller.
  func start(_ work: sending @escaping () async -> Void) {
    switch self {
    case .ownThreads: Task(executorPreference: WorkThreads.shared) { await work() }
    case .callingThread: startAtOnce(work)
    }
  }
}

/// Runs each part of a task, from one suspension to the next, on a new thread.
///
/// The system has one shared thread for each processor core, so a few blocking calls would block
/// every other task. A new thread costs less than any request to an authority.
final class WorkThreads: TaskExecutor {
  static let shared = WorkThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let part = Part(UnownedJob(job), self)
    if !part.runsOnNewThread() {
      // No new thread is available, so the work runs on a shared one.
      globalConcurrentExecutor.enqueue(part.job)
    }
  }

  private final class Part: Sendable {
    let job: UnownedJob
    let executor: WorkThreads

    init(_ job: UnownedJob, _ executor: WorkThreads) {
      self.job = job
      self.executor = executor
    }

    func run() {
      job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }

    /// Returns false if there is no new thread.
    func runsOnNewThread() -> Bool {
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let part = Unmanaged.passRetained(self)
      let error = pthread_create(
        &thread, nil,
        { raw in
          // The argument is optional on Linux, but not on Apple's systems.
          guard let raw = raw as UnsafeMutableRawPointer? else { return nil }
          Unmanaged<Part>.fromOpaque(raw).takeRetainedValue().run()
          return nil
        }, part.toOpaque())
      guard error == 0 else {
        part.release()
        return false
      }
      #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
      #else
        pthread_detach(thread)
      #endif
      return true
    }
  }
}
