public import AuthCore

/// A backend is an authority: the store of an app uses these.
extension Backend {
  package func newSession() throws(BackendError) -> NewSession {
    NewSession(token: try drawToken(), label: label, origin: origin())
  }

  /// A grant in the vocabulary of `Authority`, where a challenge is a result.
  private func authentication<Rejection>(
    _ grant: @autoclosure () throws(BackendError) -> Grant,
    _ failure: (BackendError) -> AuthorityError<Rejection>
  ) throws(AuthorityError<Rejection>) -> Authentication {
    do throws(BackendError) {
      return .granted(try grant())
    } catch {
      guard case .challenged(let challenge) = error.kind else { throw failure(error) }
      return .challenged(challenge)
    }
  }

  /// See ``AuthCore/Authority/authenticate(_:limits:)``.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try authentication(try ask(Operations.logIn, credentials, limits, newSession()), \.asLoginFailure)
  }

  /// See ``AuthCore/Authority/reauthenticate(_:with:limits:)``.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try authentication(
      try ask(Operations.reauthenticate, token, credentials.password, limits, drawToken()), \.asReauthenticationFailure)
  }

  /// See ``AuthCore/Authority/answer(_:with:)``.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try authentication(try ask(Operations.answer, answer, challenge.token, newSession()), \.asReauthenticationFailure)
  }

  /// See ``AuthCore/Authority/resume(_:)``.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try ask(Operations.resume, token) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/renew(_:)``.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    do throws(BackendError) { return try ask(Operations.renew, token) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/confirm(_:)``.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    do throws(BackendError) { try ask(Operations.confirm, token) } catch { throw error.asSessionFailure }
  }

  /// See ``AuthCore/Authority/revoke(_:reason:)``.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    do throws(BackendError) { try ask(Operations.revoke, token, reason) } catch { throw error.asUnavailability }
  }

  /// Finds the grant of a token, if it is the current token of an active session.
  ///
  /// It reads once, writes nothing and does not suspend. Use it to find out who is logged in.
  ///
  /// - Returns: Nil for every other token; ``AuthCore/Authority/resume(_:)`` says why and records
  ///   the event.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  public func lookUp(_ token: SessionToken) throws(BackendError) -> Grant? {
    try ask(Operations.lookUp, token)
  }

  /// Finds the grant of a token of an active session, or says why it has ended.
  ///
  /// Unlike ``AuthCore/Authority/resume(_:)`` it changes nothing and records no event, also for a
  /// token that is used for the first time. Use it for what only shows who is logged in.
  ///
  /// - Throws: ``BackendError`` of kind `session`, or of kind `unavailable`.
  package func inspect(_ token: SessionToken) throws(BackendError) -> Grant { try ask(Operations.inspect, token) }
}
