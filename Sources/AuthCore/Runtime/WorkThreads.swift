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

extension WorkPlace {
  /// Starts work that outlives its caller.
  func start(_ work: sending @escaping () async -> Void) {
    switch self {
    case .separateThreads: Task(executorPreference: WorkThreads.shared) { await work() }
    case .callingThread: startAtOnce(work)
    }
  }
}

extension SessionCore {
  /// Starts work that outlives its caller, and counts it until it ends.
  func start(_ work: @escaping @Sendable () async -> Void) {
    withLock { $0.running += 1 }
    place.start {
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
  package func onWorkPlace<Value: Sendable, Failure: Error>(
    _ call: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let core = gate.core, core.place == .separateThreads else { return try call() }
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
final class WorkThreads: TaskExecutor {
  static let shared = WorkThreads()

  /// Lock and signal of the fields below; they live as long as the process.
  ///
  /// Safe: the pointers never change, and any thread may use what they point to.
  private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// The jobs that idle threads are about to take; used only with the mutex locked.
  private nonisolated(unsafe) var jobs: [UnownedJob] = []
  /// The number of idle threads; used only with the mutex locked.
  private nonisolated(unsafe) var idle = 0

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if give(job) || startThread({ self.work(job) }) { return }
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
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard idle > jobs.count else { return false }
    jobs.append(job)
    pthread_cond_signal(arrival)
    return true
  }

  /// Waits for a job; nil if enough threads wait already.
  private func wait() -> UnownedJob? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard idle < 4 else { return nil }
    idle += 1
    while jobs.isEmpty { pthread_cond_wait(arrival, mutex) }
    idle -= 1
    return jobs.removeFirst()
  }
}

/// Starts a thread that runs `body` and is never joined.
///
/// The closure that `pthread_create` takes stays here: in a `main.swift` it would belong to the
/// main actor, and the thread would die of that.
///
/// - Returns: False when the system gave no thread.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let box = Unmanaged.passRetained(ThreadBody(body))
  let error = pthread_create(
    &thread, nil,
    { raw in
      // The argument is optional on Linux, but not on Apple's systems.
      guard let raw = raw as UnsafeMutableRawPointer? else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  guard error == 0 else {
    box.release()
    return false
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
  return true
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
