import Glibc

/// Runs what blocks on a thread of its own, so that it takes none from the tests that run beside.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let work = Work { continuation.resume(with: Swift.Result(catching: body)) }
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
      continuation.resume(throwing: TerminalProcess.Failure(description: "no thread: error \(error)"))
      return
    }
    pthread_detach(thread)
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
