/// Gives a class or an actor `runOnce { … }`, and asks for nothing.
///
/// ```swift
/// final class ProfileScreen: RunsOnce {
///   func didAppear() {
///     runOnce { track("profile viewed") }
///   }
/// }
/// ```
public protocol RunsOnce: AnyObject {}

extension RunsOnce {
  /// Runs `body`, unless it was run on this object before or is running; see `RunOnce.run(on:)`.
  @inlinable @discardableResult
  public func runOnce<Failure: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> RunOnce.Outcome {
    try RunOnce.run(on: self, fileID: fileID, line: line, column: column, body)
  }

  /// Runs `body`, unless one with an equal `key` was run on this object before or is running.
  @inlinable @discardableResult
  public func runOnce<Failure: Error>(
    key: any Hashable & Sendable, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> RunOnce.Outcome {
    try RunOnce.run(on: self, key: key, body)
  }

  /// Runs `body` as `runOnce` does, except that a run that threw does not count.
  @inlinable @discardableResult
  public func runOnceUntilSuccess<Failure: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> RunOnce.Outcome {
    try RunOnce.runUntilSuccess(on: self, fileID: fileID, line: line, column: column, body)
  }

  /// Runs `body` as `runOnce(key:)` does, except that a run that threw does not count.
  @inlinable @discardableResult
  public func runOnceUntilSuccess<Failure: Error>(
    key: any Hashable & Sendable, _ body: () throws(Failure) -> Void
  ) throws(Failure) -> RunOnce.Outcome {
    try RunOnce.runUntilSuccess(on: self, key: key, body)
  }
}

extension RunsOnce {
  /// Runs `body`, unless it was run on this object before; if it is running, waits for its end.
  ///
  /// See the asynchronous `RunOnce.run(on:)`.
  @discardableResult
  public func runOnce<Failure: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> RunOnce.Outcome {
    try await RunOnce.run(on: self, fileID: fileID, line: line, column: column, body)
  }

  /// Runs `body`, unless one with an equal `key` was run on this object before; if one is running, waits for its end.
  @discardableResult
  public func runOnce<Failure: Error>(
    key: any Hashable & Sendable,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> RunOnce.Outcome {
    try await RunOnce.run(on: self, key: key, body)
  }

  /// As the asynchronous `runOnce`, except that a run that threw does not count: one of those who wait tries next.
  @discardableResult
  public func runOnceUntilSuccess<Failure: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> RunOnce.Outcome {
    try await RunOnce.runUntilSuccess(on: self, fileID: fileID, line: line, column: column, body)
  }

  /// As the asynchronous `runOnce(key:)`, except that a run that threw does not count: one of those who wait tries next.
  @discardableResult
  public func runOnceUntilSuccess<Failure: Error>(
    key: any Hashable & Sendable,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> RunOnce.Outcome {
    try await RunOnce.runUntilSuccess(on: self, key: key, body)
  }
}
