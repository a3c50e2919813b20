import ConcurrencyKit

/// Runs a body at most once in the lifetime of an object, without a flag in your code.
///
/// The place of the call (file, line and column) identifies the body. Pass a `key` where one place
/// serves many bodies: in a loop, a helper or a generic function. Then only the key counts, so two
/// places can share one run.
///
/// *At most once* has no exception: a body that throws has run. To try again after an error, pass
/// `untilSuccess`. If the body is running, a synchronous call skips it and an asynchronous call
/// waits for its end. A call from inside the body skips it in both forms. No lock is held while a
/// body runs.
///
/// The object can be of any Swift class or actor, and is not kept alive. The records of its runs
/// keep its memory; later first runs on other objects remove them. On Apple's systems a subclass of
/// `NSObject` is not supported: Objective-C frees the memory of such an object in spite of the
/// records, so a new object at the same address could count as the old one.
///
/// The idea and four of its requirements: Daniel Roth, "Introducing Swift-RunOnce", Thumbtack
/// Engineering, 2021.
public enum RunOnce {
  /// The result of one call.
  ///
  /// Frozen: a later version adds no case.
  public enum Outcome: Hashable, Sendable, CaseIterable {
    /// This call ran the body.
    case ran
    /// An earlier call ran it.
    case alreadyRan
    /// The body was still running when this call returned: in another call, or around this call.
    ///
    /// A waiting call that is cancelled returns this too.
    case stillRunning
    /// The object is in its `deinit`, so the body does not run.
    ///
    /// The body may have run before, because its record can be removed as soon as the `deinit`
    /// begins. If the `deinit` must know, store the fact in a property.
    case tooLate
  }

  /// Runs `body`, unless it ran on `object` before or is running.
  ///
  /// - Parameters:
  ///   - object: The object whose life the run belongs to.
  ///   - key: Identifies the body, by type and `==`. Nil means the place. `==` must not use
  ///     `RunOnce`.
  ///   - untilSuccess: Whether a body that throws has not run, so that the next call runs it again.
  ///   - fileID: The place, with `line` and `column`. Omit all three arguments.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: The code to run.
  /// - Returns: Whether this call ran the body, or why not.
  /// - Throws: What the body throws, in the call that ran it.
  @inlinable @discardableResult
  public static func run<Key: Hashable & Sendable, Failure: Error>(
    on object: AnyObject, key: Key? = Never?.none, untilSuccess: Bool = false,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    let run = Run(ObjectIdentifier(object), key, fileID, line, column)
    if let answer = RunRecords.begin(run, on: object) { return answer }
    var counts = !untilSuccess
    defer { RunRecords.end(run, counts: counts) }
    try body()
    counts = true
    return .ran
  }

  package static var recordCount: Int { RunSweep.count }
}

/// The asynchronous form, which waits for a running body to end.
///
/// The body runs in a separate task, which starts immediately on the actor of the closure. So a
/// cancelled caller returns immediately, and the body continues for the others. A call from inside
/// the body skips it, even in a task that inherits task-local values. `Task.detached` inherits
/// none: if a body awaits a detached task that calls the same body, both wait forever.
extension RunOnce {
  /// Runs `body`, unless it ran on `object` before; if it is running, waits for its end.
  ///
  /// - Parameters:
  ///   - object: The object whose life the run belongs to.
  ///   - key: Identifies the body, by type and `==`. Nil means the place. `==` must not use
  ///     `RunOnce`.
  ///   - untilSuccess: Whether a body that throws has not run; then one of the waiting calls runs
  ///     it.
  ///   - fileID: The place, with `line` and `column`. Omit all three arguments.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: The code to run. Cancelling the caller does not cancel it.
  /// - Returns: Whether this call ran the body, or why not; ``Outcome/stillRunning`` when
  ///   cancelled.
  /// - Throws: What the body throws, in the call that started it, unless that call was cancelled.
  @discardableResult
  public static func run<Key: Hashable & Sendable, Failure: Error>(
    on object: AnyObject, key: Key? = Never?.none, untilSuccess: Bool = false,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> Outcome {
    let run = Run(ObjectIdentifier(object), key, fileID, line, column)
    while let answer = RunRecords.begin(run, on: object) {
      guard answer == .stillRunning, !surrounding.contains(run) else { return answer }
      guard let end = RunRecords.completion(of: run) else { continue }
      guard await end.value() != nil else { return .stillRunning }
    }
    let result = Promise<Result<Void, Failure>>()
    let surrounding = surrounding + [run]
    startAtOnce {
      let outcome = await $surrounding.withValue(surrounding) { () async -> Result<Void, Failure> in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }
      switch outcome {
      case .success: RunRecords.end(run, counts: true)
      case .failure: RunRecords.end(run, counts: !untilSuccess)
      }
      result.fulfil(outcome)
    }
    guard let outcome = await result.value() else { return .stillRunning }
    try outcome.get()
    return .ran
  }

  /// The runs whose bodies enclose the current call.
  @TaskLocal private static var surrounding: [Run] = []
}
