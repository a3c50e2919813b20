/// The asynchronous forms: who finds the body running waits for its end.
///
/// The body runs in a task of its own, begun at once, on the actor that the closure belongs to. So a caller that is cancelled
/// leaves at once, whether it brought the body or waits for somebody else's, and the work goes on for the others. A call
/// from inside the body, or from a task there that inherits task-local values, does not wait, for it would wait for itself. A
/// `Task.detached` inherits none: its call waits for the body, and a body that awaits that task hangs.
extension RunOnce {
  /// Runs `body`, unless it was run on `object` before; if it is running, waits for its end.
  ///
  /// If it throws, it has run all the same.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - fileID: With `line` and `column`, which body it is; leave all three to the compiler.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: What to do. It is not cancelled with the caller.
  /// - Returns: Whether this call ran it, or why not; ``Outcome/stillRunning`` at once when the caller is cancelled.
  /// - Throws: What the body throws, to the call that brought it, if that is still there.
  @discardableResult
  public static func run<Failure: Error>(
    on object: AnyObject, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    try await perform(Run.placed(on: object, fileID, line, column), on: object, afterThrow: .done, body)
  }

  /// Runs `body`, unless one with an equal `key` was run on `object` before; if one is running, waits for its end.
  ///
  /// If it throws, it has run all the same.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - key: Which body it is, wherever it stands, by type and `==`. Its `==` must not call `RunOnce`.
  ///   - body: What to do. It is not cancelled with the caller.
  /// - Returns: Whether this call ran it, or why not; ``Outcome/stillRunning`` at once when the caller is cancelled.
  /// - Throws: What the body throws, to the call that brought it, if that is still there.
  @discardableResult
  public static func run<Failure: Error>(
    on object: AnyObject, key: any Hashable & Sendable,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    try await perform(Run.keyed(on: object, key), on: object, afterThrow: .done, body)
  }

  /// As the asynchronous `run(on:)`, except that a run that threw does not count: one of those who wait tries next.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - fileID: With `line` and `column`, which body it is; leave all three to the compiler.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: What to do. It is not cancelled with the caller.
  /// - Returns: Whether this call ran it to success, or why not; ``Outcome/stillRunning`` at once when the caller is cancelled.
  /// - Throws: What this call's body throws, if the call is still there.
  @discardableResult
  public static func runUntilSuccess<Failure: Error>(
    on object: AnyObject, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    try await perform(Run.placed(on: object, fileID, line, column), on: object, afterThrow: .idle, body)
  }

  /// As the asynchronous `run(on:key:)`, except that a run that threw does not count: one of those who wait tries next.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - key: Which body it is, wherever it stands, by type and `==`. Its `==` must not call `RunOnce`.
  ///   - body: What to do. It is not cancelled with the caller.
  /// - Returns: Whether this call ran it to success, or why not; ``Outcome/stillRunning`` at once when the caller is cancelled.
  /// - Throws: What this call's body throws, if the call is still there.
  @discardableResult
  public static func runUntilSuccess<Failure: Error>(
    on object: AnyObject, key: any Hashable & Sendable,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    try await perform(Run.keyed(on: object, key), on: object, afterThrow: .idle, body)
  }

  /// The runs that surround this point of the program, in this task and those that it inherits task-local values from.
  @TaskLocal private static var surrounding: [Run] = []

  private static func perform<Failure: Error>(
    _ run: Run, on object: AnyObject, afterThrow: RunTable.Phase,
    _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    while true {
      switch RunRecords.begin(run, on: object) {
      case nil: return try await launch(run, afterThrow: afterThrow, body)
      case .stillRunning?:
        if surrounding.contains(run) { return .stillRunning }
        guard let flight = RunRecords.flight(of: run) else { continue }
        guard await flight.wait() else { return .stillRunning }
      case let answer?: return answer
      }
    }
  }

  private static func launch<Failure: Error>(
    _ run: Run, afterThrow: RunTable.Phase, _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    // Nobody else can end the run, so it has a flight.
    guard let flight = RunRecords.flight(of: run) else { preconditionFailure("a run that was begun is not running") }
    let landing = RunLanding<Failure>()
    let surrounding = surrounding + [run]
    Task.immediate {
      let result = await $surrounding.withValue(surrounding) { () async -> Result<Void, Failure> in
        do throws(Failure) {
          return .success(try await body())
        } catch {
          return .failure(error)
        }
      }
      landing.result.withLock { $0 = result }
      switch result {
      case .success: RunRecords.end(run, .done)
      case .failure: RunRecords.end(run, afterThrow)
      }
    }
    guard await flight.wait(), let result = landing.result.withLock({ $0 }) else { return .stillRunning }
    try result.get()
    return .ran
  }
}

/// Where a body's own task leaves how it ended, for the caller that brought it.
private final class RunLanding<Failure: Error>: Sendable {
  let result = Locked<Result<Void, Failure>?>(nil)
}
