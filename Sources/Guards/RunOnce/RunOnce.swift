/// Runs a piece of code at most once in the life of an object, with no flag to keep.
///
/// What "a piece of code" is follows from where the call stands (file, line and column), or from an explicit `key` where one
/// place serves many: in a loop, a helper or a generic function. All forms share one memory, so with a key two places can agree
/// on one run.
///
/// *At most once* is meant without exception: a body that throws has run. Who wants another try after an error says so
/// with `runUntilSuccess`. A call that finds the body running skips it; the
/// asynchronous forms wait for it instead. A call from inside the body skips, in both. No lock is held while a body runs.
///
/// The object may be of any class, actors included. It is not kept alive, but the whole memory of the instance stays with its
/// record after it died, until new objects are seen. While objects come and go, the dead with records number at most about
/// half the living; where many died and none came since, all of them still have theirs. In `deinit` nothing that has not
/// begun begins any more, see ``Outcome/tooLate``.
///
/// The idea, and four of its requirements: Daniel Roth, "Introducing Swift-RunOnce", Thumbtack Engineering, 2021.
public enum RunOnce {
  /// What became of one call.
  public enum Outcome: Hashable, Sendable, CaseIterable {
    /// This call ran the body.
    case ran
    /// An earlier call ran it.
    case alreadyRan
    /// It was running when this call returned: elsewhere, or around this call, or it was waited for and the wait was cancelled.
    case stillRunning
    /// The object is in its `deinit` and the body had not begun before: it never will.
    ///
    /// To begin then would need a memory that outlives the object. What a `deinit` must do, it does when it gets this answer.
    case tooLate
  }

  /// Runs `body`, unless it was run on `object` before or is running.
  ///
  /// If it throws, it has run all the same.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - fileID: With `line` and `column`, which body it is; leave all three to the compiler.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: What to do.
  /// - Returns: Whether this call ran it, or why not.
  /// - Throws: What the body throws, to the call that ran it and to no other.
  @inlinable @discardableResult
  public static func run<Failure: Error>(
    on object: AnyObject, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    try perform(Run.placed(on: object, fileID, line, column), on: object, body)
  }

  /// Runs `body`, unless one with an equal `key` was run on `object` before or is running.
  ///
  /// If it throws, it has run all the same.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - key: Which body it is, wherever it stands, by type and `==`. Its `==` must not call `RunOnce`.
  ///   - body: What to do.
  /// - Returns: Whether this call ran it, or why not.
  /// - Throws: What the body throws, to the call that ran it and to no other.
  @inlinable @discardableResult
  public static func run<Failure: Error>(
    on object: AnyObject, key: any Hashable & Sendable, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    try perform(Run.keyed(on: object, key), on: object, body)
  }

  /// Runs `body` as `run(on:)` does, except that a run that threw does not count.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - fileID: With `line` and `column`, which body it is; leave all three to the compiler.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  ///   - body: What to do.
  /// - Returns: Whether this call ran it to success, or why not.
  /// - Throws: What the body throws; the next call tries again.
  @inlinable @discardableResult
  public static func runUntilSuccess<Failure: Error>(
    on object: AnyObject, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    try perform(Run.placed(on: object, fileID, line, column), on: object, afterThrow: .idle, body)
  }

  /// Runs `body` as `run(on:key:)` does, except that a run that threw does not count.
  ///
  /// - Parameters:
  ///   - object: Whose life the promise is bound to.
  ///   - key: Which body it is, wherever it stands, by type and `==`. Its `==` must not call `RunOnce`.
  ///   - body: What to do.
  /// - Returns: Whether this call ran it to success, or why not.
  /// - Throws: What the body throws; the next call tries again.
  @inlinable @discardableResult
  public static func runUntilSuccess<Failure: Error>(
    on object: AnyObject, key: any Hashable & Sendable, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    try perform(Run.keyed(on: object, key), on: object, afterThrow: .idle, body)
  }

  /// How many objects have records at this moment.
  package static var recordedObjects: Int { RunSweep.recordedObjects }

  @inlinable
  static func perform<Failure: Error>(
    _ run: Run, on object: AnyObject, afterThrow: RunTable.Phase = .done, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Outcome {
    if let answer = RunRecords.begin(run, on: object) { return answer }
    var after = afterThrow
    defer { RunRecords.end(run, after) }
    try body()
    after = .done
    return .ran
  }
}
