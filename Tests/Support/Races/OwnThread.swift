package import Glibc

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
    pthread_detach(startedThread { report.yield(Swift.Result(catching: body)) })
  }

  /// The result or error of the work; read it once.
  package var result: Result {
    get async throws {
      for await result in outcome { return try result.get() }
      throw CancellationError()
    }
  }
}

/// Starts a thread, to be joined or detached.
package func startedThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { work in
      if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
      return nil
    }, Unmanaged.passRetained(Work(body)).toOpaque())
  precondition(status == 0, "pthread_create answered \(status)")
  return thread
}
