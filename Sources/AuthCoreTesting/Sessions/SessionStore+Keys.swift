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

  /// Switches users.
  @discardableResult
  package func switched(to credentials: Credentials) async throws(SessionError) -> LoggedInSession {
    try await switchUser(to: credentials).key
  }

  /// Checks the password again.
  @discardableResult
  package func reauthenticated(password: Secret) async throws(SessionError) -> LoggedInSession {
    try await reauthenticate(password: password).key
  }

  /// Answers a challenge.
  @discardableResult
  package func answered(_ answer: Secret, to challenge: Challenge) async throws(SessionError) -> LoggedInSession {
    try await self.answer(answer, to: challenge).key
  }
}

extension LoginResult {
  /// The key, where no second step can be required.
  package var key: LoggedInSession {
    guard let session else { preconditionFailure("a second step was required unexpectedly") }
    return session
  }
}
