import Glibc

/// Runs blocking code on a separate thread, so that it blocks no thread of other tests.
package func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await OwnThread(body).result
}

/// Work on a separate thread, which starts immediately, even while other tests use all shared
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

  /// The result or error of the work; read it once.
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
