/// An authority that wraps another one, and forwards every call that it does not answer itself.
package protocol AuthorityWrapper: Authority {
  /// The wrapped authority.
  var base: any Authority { get }
}

extension AuthorityWrapper {
  package func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try await base.authenticate(credentials, limits: limits)
  }

  package func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.resume(token)
  }

  package func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.renew(token)
  }

  package func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await base.reauthenticate(token, with: credentials, limits: limits)
  }

  package func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await base.answer(challenge, with: answer)
  }

  package func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await base.confirm(token)
  }

  package func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await base.revoke(token, reason: reason)
  }
}
