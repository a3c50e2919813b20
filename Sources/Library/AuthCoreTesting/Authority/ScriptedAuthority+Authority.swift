public import AuthCore
import ConcurrencyKit

extension ScriptedAuthority: Authority {
  /// How the authority exchanges tokens, as the test set it.
  public var exchange: TokenExchange { storage.withLock { $0.sessions.exchange } }

  /// Says that a token begins with the name of another authority.
  public func notHere(_ token: SessionToken) -> Unavailability? {
    let text = String(decoding: token.bytes, as: UTF8.self)
    guard let issued = text.firstMatch(of: /^(.*)token-\d+$/), issued.1 != name else { return nil }
    return Unavailability(.unreadable, "The session belongs to another server.", code: "session_of_other_server")
  }

  /// Checks credentials against the accounts.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try await ask(.authenticate, \.authentications) { $0.authenticate(credentials, limits, at: $1) }
  }

  /// Returns the user and the limits of a token.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await ask(.resume, \.resumptions, token) { $0.resume(token, at: $1) }
  }

  /// Moves the idle limit, and exchanges the token if rotation is on.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await ask(.renew, \.renewals, token) { $0.renew(token, at: $1) }
  }

  /// Reads a recorded answer, which is the token that the authority granted.
  public func recover(
    _ token: SessionToken, _ interrupted: InterruptedExchange
  ) throws(AuthorityError<SessionRejection>) -> Grant? {
    guard let answer = interrupted.answer, let now = try? clock.now() else { return nil }
    return storage.withLock { try? $0.sessions.resume(SessionToken(bytes: answer), at: now).get() }
  }

  /// Checks the password of the token's user again and issues a token with new limits.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await ask(.reauthenticate, \.reauthentications, token) {
      $0.reauthenticate(token, credentials.password, limits, at: $1)
    }
  }

  /// Checks the answer to a challenge.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await ask(.answer, \.challengeAnswers) { $0.answer(challenge.token, answer, at: $1) }
  }

  /// Confirms a token, so that the token that it replaced dies.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    try await ask(.confirm, \.confirmations, token) { sessions, now in sessions.check(token, at: now).map { _, _ in } }
  }

  /// Ends the session or the challenge of a token.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    if let cause = notHere(token) { throw cause }
    try await turnstile.pass(.revoke) {
      storage.withLock { storage -> Result<Void, Unavailability> in
        let fault = storage.takeFault(of: .revoke)
        if let answer = storage.answers.revocations.popFirst() { return answer }
        switch fault {
        case .unavailable(let cause): return .failure(cause)
        case .throttled: return .failure(Unavailability(.busy, "the authority asks to wait"))
        case .none: return .success(storage.sessions.end(token, reason))
        }
      }
    }.get()
  }

  /// Runs one call: takes a scripted answer, a fault or the sessions' answer.
  private func ask<Value: Sendable, Rejection>(
    _ operation: Operation,
    _ scripted: WritableKeyPath<ScriptedAnswers, [Result<Value, AuthorityError<Rejection>>]>,
    _ token: SessionToken? = nil,
    _ check: (inout ScriptedSessions, BootInstant) -> Result<Value, AuthorityError<Rejection>>
  ) async throws(AuthorityError<Rejection>) -> Value {
    if let token, let cause = notHere(token) { throw .unavailable(cause) }
    return try await turnstile.pass(operation) {
      let time = Result { () throws(ClockError) in try clock.now() }
      return storage.withLock { storage -> Result<Value, AuthorityError<Rejection>> in
        let fault = storage.takeFault(of: operation)
        if let answer = storage.answers[keyPath: scripted].popFirst() { return answer }
        switch (fault, time) {
        case (.unavailable(let cause), _): return .failure(.unavailable(cause))
        case (.throttled(let throttle), _): return .failure(.throttled(throttle))
        case (.none, .failure(let failure)):
          return .failure(.unavailable(Unavailability(.unreadable, failure.description)))
        case (.none, .success(let now)): return check(&storage.sessions, now)
        }
      }
    }.get()
  }
}
