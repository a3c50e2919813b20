/// Gives a Swift class or an actor the method `runOnce { … }`; has no requirements.
///
/// A subclass of `NSObject` is not supported on Apple's systems; see `RunOnce`.
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
  /// Runs `body`, unless it ran on this object before or is running; see `RunOnce.run`.
  @inlinable @discardableResult
  public func runOnce<Key: Hashable & Sendable, Failure: Error>(
    key: Key? = Never?.none, untilSuccess: Bool = false,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> RunOnce.Outcome {
    try RunOnce.run(
      on: self, key: key, untilSuccess: untilSuccess, fileID: fileID, line: line, column: column, body)
  }

  /// Runs `body`, unless it ran on this object before; if it is running, waits for its end.
  ///
  /// See the asynchronous `RunOnce.run`.
  @discardableResult
  public func runOnce<Key: Hashable & Sendable, Failure: Error>(
    key: Key? = Never?.none, untilSuccess: Bool = false,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Void
  ) async throws(Failure) -> RunOnce.Outcome {
    try await RunOnce.run(
      on: self, key: key, untilSuccess: untilSuccess, fileID: fileID, line: line, column: column, body)
  }
}
