import AuthCore
import AuthCoreTesting

/// An authority that forwards every call to another one.
protocol ForwardingAuthority: Authority {
  var base: ScriptedAuthority { get }

  /// Runs before each call.
  func willCall(_ operation: ScriptedAuthority.Operation)
}

extension ForwardingAuthority {
  func willCall(_ operation: ScriptedAuthority.Operation) {}

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    willCall(.authenticate)
    return try await base.authenticate(credentials, limits: limits)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    willCall(.resume)
    return try await base.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    willCall(.renew)
    return try await base.renew(token)
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    willCall(.reauthenticate)
    return try await base.reauthenticate(token, with: credentials, limits: limits)
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    willCall(.answer)
    return try await base.answer(challenge, with: answer)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    willCall(.confirm)
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    willCall(.revoke)
    try await base.revoke(token, reason: reason)
  }
}
