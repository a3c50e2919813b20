package import AuthCore

// For tests of accounts without a second step, or with a correct answer to it.
extension SessionStore {
  /// Logs in.
  @discardableResult
  package func loggedIn(
    _ credentials: Credentials, limits: LimitRequest = LimitRequest()
  ) async throws(SessionError) -> LoggedInSession {
    try await logIn(credentials, limits: limits).key
  }
}

extension LoginResult {
  /// The key, where no second step can be required.
  package var key: LoggedInSession {
    guard let session else { preconditionFailure("a second step was required unexpectedly") }
    return session
  }
}
