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
  /// On threads of the work's own, so that a call that blocks holds up nobody else.
  case ownThreads
  /// On the thread that gives the command, until the work first suspends.
  case callingThread

  /// Starts work that outlives its caller.
  func start(_ work: sending @escaping () async -> Void) {
    switch self {
    case .ownThreads: Task(executorPreference: WorkThreads.shared) { await work() }
    case .callingThread: startAtOnce(work)
    }
  }
}

/// Runs each part of a task on a thread of its own, from one suspension to the next.
///
/// The shared threads of the system are as many as the processor has cores: a few calls that block
/// would hold up every other task. A new thread costs less than any request to an authority.
final class WorkThreads: TaskExecutor {
  static let shared = WorkThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let part = Part(UnownedJob(job), self)
    if !part.runsOnNewThread() {
      // No thread is left: the work is done all the same, on one that is shared.
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

    /// Returns false when there is no new thread.
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
          // On Linux the argument is optional, on Apple's systems it is not.
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
