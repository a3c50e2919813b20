import AuthBackend
import AuthCore

/// Claims that every user is an administrator, for keys that the backend must not believe.
struct ElevatingAuthority: Authority {
  let base: any Backend

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    elevated(try await base.authenticate(credentials, limits: limits))
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    elevated(try await base.resume(token))
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    elevated(try await base.renew(token))
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    elevated(try await base.reauthenticate(token, with: credentials, limits: limits))
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    elevated(try await base.answer(challenge, with: answer))
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await base.revoke(token, reason: reason)
  }

  private func elevated(_ result: Authentication) -> Authentication {
    switch result {
    case .granted(let grant): .granted(elevated(grant))
    case .challenged: result
    }
  }

  private func elevated(_ grant: Grant) -> Grant {
    let user = User(
      id: grant.user.id, username: grant.user.username, displayName: grant.user.displayName, role: .administrator)
    return Grant(id: grant.id, user: user, token: grant.token, limits: grant.limits)
  }
}
