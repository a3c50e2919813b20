import AuthCore
import AuthOAuth

/// The authority with a user in front of its browser: names and passwords are entered there.
struct Browser: Authority {
  let authority: OAuthAuthority
  let server: ServerDouble

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    guard let login = logIn(credentials.username, credentials.password) else { throw .rejected(.notAccepted) }
    return try await authority.authenticate(login, limits: limits)
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    // Whoever's password it is: the browser knows nothing of the session.
    let name = ServerDouble.passwords.first { Secret($0.value) == credentials.password }?.key
    guard let name, let login = logIn(name, credentials.password) else { throw .rejected(.notAccepted) }
    return try await authority.reauthenticate(token, with: login, limits: limits)
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await authority.answer(challenge, with: answer)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await authority.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await authority.renew(token)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await authority.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await authority.revoke(token, reason: reason)
  }

  private func logIn(_ name: String, _ password: Secret) -> Credentials? {
    guard let request = try? authority.authorization(prompting: true),
      let address = server.browse(
        request.url, username: name, password: String(decoding: password.bytes, as: UTF8.self))
    else { return nil }
    return try? request.credentials(from: address)
  }
}
