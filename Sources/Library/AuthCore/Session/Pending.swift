import ConcurrencyKit

/// A login that has begun.
///
/// It continues whether or not a task waits for it.
package struct PendingLogin: Sendable {
  let promise: Promise<Result<LoginResult, SessionError>>

  /// Waits for the result.
  ///
  /// - Throws: ``SessionError``; `cancelled` as soon as the waiting task is cancelled.
  package func value() async throws(SessionError) -> LoginResult {
    guard let result = await promise.value() else { throw .cancelled }
    return try result.get()
  }
}

/// A logout that has begun.
///
/// It continues whether or not a task waits for it.
public struct PendingLogout: Sendable {
  let promise: Promise<LogoutResult>

  /// Waits for the result.
  ///
  /// - Throws: ``LogoutError/cancelled`` as soon as the waiting task is cancelled.
  public func value() async throws(LogoutError) -> LogoutResult {
    guard let result = await promise.value() else { throw .cancelled }
    return result
  }
}
