import Glibc

/// Runs what blocks on a thread of its own, so that it takes none from the tests that run beside.
package func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await OwnThread(body).result
}

/// Work on a thread of its own, which begins at once: also while other tests hold the shared
/// threads.
package final class OwnThread<Result: Sendable>: Sendable {
  private let outcome: AsyncStream<Swift.Result<Result, any Error>>

  package init(_ body: @escaping @Sendable () throws -> Result) {
    let (outcome, report) = AsyncStream.makeStream(of: Swift.Result<Result, any Error>.self)
    self.outcome = outcome
    let work = Work { report.yield(Swift.Result(catching: body)) }
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    guard error == 0 else {
      Unmanaged.passUnretained(work).release()
      report.yield(.failure(NoThread(error: error)))
      return
    }
    pthread_detach(thread)
  }

  /// What the work returned or threw; to be asked for once.
  package var result: Result {
    get async throws {
      for await result in outcome { return try result.get() }
      throw CancellationError()
    }
  }
}

/// The system has no thread left.
private struct NoThread: Error {
  let error: Int32
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
