/// Starts a task that runs on the calling thread until it first suspends.
///
/// This is `Task.immediate`, with a replacement for systems that lack it. The library starts tasks
/// immediately only here, so `make test-older-systems`, which builds with `OLDER_SYSTEM`, tests the
/// replacement everywhere.
@discardableResult
package func startAtOnce(_ body: sending @escaping () async -> Void) -> Task<Void, Never> {
  #if !OLDER_SYSTEM
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return Task.immediate { await body() }
    }
  #endif
  return FirstPart.start(body)
}

/// An executor that runs the first part of one task on the thread that created it, and leaves the
/// other parts to the system.
private final class FirstPart: TaskExecutor {
  private let first = Promise<UnownedJob>()

  static func start(_ body: sending @escaping () async -> Void) -> Task<Void, Never> {
    let executor = FirstPart()
    let task = Task(executorPreference: executor) {
      await body()
      withExtendedLifetime(executor) {}
    }
    executor.first.kept?.runSynchronously(on: executor.asUnownedTaskExecutor())
    return task
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The task has one part at a time, so no other part comes before the first one has begun.
    if first.kept == nil { first.fulfil(job) } else { globalConcurrentExecutor.enqueue(job) }
  }
}
