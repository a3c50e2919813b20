package import AuthCore

// For tests of accounts without a second step, or with a correct answer to it, and for tests in
// which whoever is logged in is who is meant.
extension SessionStore {
  /// Logs in.
  @discardableResult
  package func loggedIn(
    _ credentials: Credentials, limits: LimitRequest = LimitRequest()
  ) async throws(SessionError) -> LoggedInSession {
    try await logIn(credentials, limits: limits).key
  }

  /// Checks the password of whoever is logged in, where a test has only one user.
  package func reauthenticate(
    password: Secret, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    guard let session else { throw .rejected(.notLoggedIn) }
    return try await reauthenticate(session, password: password, limits: limits, within: limit)
  }

  /// Checks credentials of whoever is logged in, where a test has only one user.
  package func reauthenticate(
    with credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    guard let session else { throw .rejected(.notLoggedIn) }
    return try await reauthenticate(session, with: credentials, limits: limits, within: limit)
  }

  /// Logs in another user in place of whoever is logged in.
  package func switchUser(
    to credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    guard let session else { throw .rejected(.notLoggedIn) }
    return try await switchUser(from: session, to: credentials, limits: limits, within: limit)
  }
}

extension LoginResult {
  /// The key, where no second step can be required.
  package var key: LoggedInSession {
    guard let session else { preconditionFailure("a second step was required unexpectedly") }
    return session
  }
}
