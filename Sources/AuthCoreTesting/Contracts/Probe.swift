import AuthCore

/// Calls an authority, and turns unexpected answers into violations.
struct Probe: Sendable {
  let subject: AuthorityContract.Subject

  var authority: any Authority { subject.authority }

  /// The first account with a password that it does not have.
  var wrong: Credentials {
    .password(username: subject.first.username, password: Secret("not the password of anybody here"))
  }

  func logIn(_ credentials: Credentials? = nil, limits: LimitRequest = .standard) async throws(Breach) -> Grant {
    let credentials = credentials ?? subject.first
    let result: Authentication
    do throws(AuthorityError<CredentialsRejection>) {
      result = try await authority.authenticate(credentials, limits: limits)
    } catch {
      throw Breach("the right password of \(credentials.username) was answered \(error)")
    }
    return try await grant(result, "the right password of \(credentials.username)")
  }

  func resume(_ token: SessionToken) async throws(Breach) -> Grant {
    try await expect("resume") { () async throws(AuthorityError<SessionRejection>) in
      try await authority.resume(token)
    }
  }

  func renew(_ token: SessionToken) async throws(Breach) -> Grant {
    try await expect("renew") { () async throws(AuthorityError<SessionRejection>) in try await authority.renew(token)
    }
  }

  func confirm(_ token: SessionToken) async throws(Breach) {
    try await expect("confirm") { () async throws(AuthorityError<SessionRejection>) in
      try await authority.confirm(token)
    }
  }

  func reauthenticate(_ token: SessionToken, limits: LimitRequest = .standard) async throws(Breach) -> Grant {
    let result: Authentication
    do throws(AuthorityError<ReauthenticationRejection>) {
      result = try await authority.reauthenticate(token, with: subject.first, limits: limits)
    } catch {
      throw Breach("reauthenticate of a live session with the right password was answered \(error)")
    }
    return try await grant(result, "reauthenticate of a live session with the right password")
  }

  private func grant(_ result: Authentication, _ what: String) async throws(Breach) -> Grant {
    switch result {
    case .granted(let grant): return grant
    case .challenged(let challenge):
      guard let code = subject.code else { throw Breach("\(what) was answered with a challenge") }
      return try await answer(challenge, code)
    }
  }

  /// Answers a challenge correctly.
  func answer(_ challenge: Challenge, _ code: @Sendable () async -> Secret) async throws(Breach) -> Grant {
    let result: Authentication
    do throws(AuthorityError<ReauthenticationRejection>) {
      result = try await authority.answer(challenge, with: await code())
    } catch {
      throw Breach("the right answer to a challenge was answered \(error)")
    }
    guard let grant = result.grant else { throw Breach("the right answer to a challenge was not accepted") }
    return grant
  }

  func revoke(_ token: SessionToken) async throws(Breach) {
    do throws(Unavailability) {
      try await authority.revoke(token, reason: .userAsked)
    } catch {
      throw Breach("revoke was answered \(error)")
    }
  }

  /// The rejection of a token; a violation if the authority accepts it or is unavailable.
  func rejection(of token: SessionToken, _ what: String) async throws(Breach) -> SessionRejection {
    let authority = authority
    return try await rejection(of: what) { () async throws(AuthorityError<SessionRejection>) in
      _ = try await authority.resume(token)
    }
  }

  func rejection<Rejection>(
    of what: String, _ operation: () async throws(AuthorityError<Rejection>) -> Void
  ) async throws(Breach) -> Rejection {
    switch await failure(of: operation) {
    case .rejected(let rejection): return rejection
    case .none: throw Breach("\(what) was accepted")
    case .some(let failure): throw Breach("\(what) was answered \(failure), which is not a rejection")
    }
  }

  func failure<Failure: Error>(of operation: () async throws(Failure) -> Void) async -> Failure? {
    do throws(Failure) {
      try await operation()
      return nil
    } catch {
      return error
    }
  }

  private func expect<Value>(
    _ name: String, _ operation: () async throws(AuthorityError<SessionRejection>) -> Value
  ) async throws(Breach) -> Value {
    do throws(AuthorityError<SessionRejection>) {
      return try await operation()
    } catch {
      throw Breach("\(name) of a live token was answered \(error)")
    }
  }
}
