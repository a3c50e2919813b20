import AuthCore

/// The authority for a command that only looks: nothing that it sees ends a session there.
///
/// A store revokes the session whose file is gone. Who moved the file away did not mean that; who logged out has revoked it.
struct OnlookingAuthority: Authority {
  let base: any Authority

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Grant {
    try await base.authenticate(credentials, limits: limits)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.renew(token)
  }

  func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Grant {
    try await base.reauthenticate(token, password: password, limits: limits)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {}
}
