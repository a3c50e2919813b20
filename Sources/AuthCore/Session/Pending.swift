import Guards

/// A login that has begun.
///
/// It continues whether or not a task waits for it.
package struct PendingLogin: Sendable {
  private let promise: Promise<Result<LoginResult, SessionError>>?
  private let reaction: Reaction

  init(_ promise: Promise<Result<LoginResult, SessionError>>?, _ reaction: Reaction) {
    self.promise = promise
    self.reaction = reaction
  }

  /// Waits for the result.
  ///
  /// - Throws: ``SessionError``; `cancelled` as soon as the waiting task is cancelled.
  package func value() async throws(SessionError) -> LoginResult {
    guard let promise else {
      guard case .rejected(let reason) = reaction else {
        // The machine ignores no command, and each accepted one has a promise: the tests check the
        // whole table.
        preconditionFailure("a command was neither taken nor rejected")
      }
      throw .rejected(reason)
    }
    guard let result = await promise.value() else { throw .cancelled }
    return try result.get()
  }
}

/// A logout that has begun.
///
/// It continues whether or not a task waits for it.
public struct PendingLogout: Sendable {
  private let promise: Promise<LogoutResult>?

  init(_ promise: Promise<LogoutResult>?) {
    self.promise = promise
  }

  /// Waits for the result.
  ///
  /// - Throws: ``LogoutError/cancelled`` as soon as the waiting task is cancelled.
  public func value() async throws(LogoutError) -> LogoutResult {
    guard let promise else { return .alreadyLoggedOut }
    guard let result = await promise.value() else { throw .cancelled }
    return result
  }
}
