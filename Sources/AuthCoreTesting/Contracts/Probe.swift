import AuthCore

/// Calls an authority, and turns unexpected answers into violations.
struct Probe: Sendable {
  let subject: AuthorityContract.Subject

  var authority: any Authority { subject.authority }

  func logIn(_ credentials: Credentials? = nil, limits: LimitRequest = .standard) async throws(Breach) -> Grant {
    let credentials = credentials ?? subject.first
    do throws(AuthorityError<CredentialsRejection>) {
      return try await authority.authenticate(credentials, limits: limits)
    } catch {
      if case .rejected(.challenged(let challenge)) = error, let code = subject.code {
        return try await answer(challenge, code)
      }
      throw Breach("the right password of \(credentials.username) was answered \(error)")
    }
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
    do throws(AuthorityError<ReauthenticationRejection>) {
      return try await authority.reauthenticate(token, password: subject.first.password, limits: limits)
    } catch {
      if case .rejected(.challenged(let challenge)) = error, let code = subject.code {
        return try await answer(challenge, code)
      }
      throw Breach("reauthenticate of a live session with the right password was answered \(error)")
    }
  }

  /// Answers a challenge correctly.
  func answer(_ challenge: Challenge, _ code: @Sendable () async -> Password) async throws(Breach) -> Grant {
    do throws(AuthorityError<ReauthenticationRejection>) {
      return try await authority.answer(challenge, with: await code())
    } catch {
      throw Breach("the right answer to a challenge was answered \(error)")
    }
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
