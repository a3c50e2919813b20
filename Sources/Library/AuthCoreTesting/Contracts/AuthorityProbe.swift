package import AuthCore

/// Calls an authority, and turns unexpected answers into breaches.
package protocol AuthorityProbe: Sendable {
  var authority: any Authority { get }
}

extension AuthorityProbe {
  /// The rejection of a token; a breach if the authority accepts it or is unavailable.
  package func rejection(of token: SessionToken, _ what: String) async throws -> SessionRejection {
    try await rejection(of: what) { _ = try await authority.resume(token) }
  }

  /// The rejection of an operation; a breach if the authority accepts it or is unavailable.
  package func rejection<Rejection: Hashable & Sendable>(
    of what: String, _ operation: () async throws -> Void
  ) async throws -> Rejection {
    do { try await operation() } catch let error as AuthorityError<Rejection> {
      guard case .rejected(let rejection) = error else {
        throw Breach("\(what) was answered \(error), which is not a rejection")
      }
      return rejection
    }
    throw Breach("\(what) was accepted")
  }

  /// The challenge in the answer to the correct credentials of an account with a second step.
  package func challenge(_ credentials: Credentials) async throws -> Challenge {
    try challenge(
      in: await authority.authenticate(credentials, limits: .standard), "the right password of \(credentials.username)")
  }

  func challenge(in result: Authentication, _ what: String) throws -> Challenge {
    guard case .challenged(let challenge) = result else {
      throw Breach("\(what), without the second step, was answered \(result)")
    }
    return challenge
  }

  package func result(
    of answer: Secret, to challenge: Challenge
  ) async -> Result<Authentication, AuthorityError<ReauthenticationRejection>> {
    do throws(AuthorityError<ReauthenticationRejection>) {
      return .success(try await authority.answer(challenge, with: answer))
    } catch {
      return .failure(error)
    }
  }

  /// Gives an answer that opens the challenge.
  package func grant(of answer: Secret, to challenge: Challenge, _ what: String) async throws -> Grant {
    let result = await result(of: answer, to: challenge)
    guard case .success(.granted(let grant)) = result else { throw Breach("\(what) was answered \(result)") }
    return grant
  }

  /// Gives an answer that costs a try, and returns the updated challenge.
  @discardableResult
  package func expectWrong(_ answer: Secret, to challenge: Challenge, _ what: String) async throws -> Challenge {
    let result = await result(of: answer, to: challenge)
    guard case .success(.challenged(let next)) = result, next.triesLeft < challenge.triesLeft else {
      throw Breach("\(what), with \(challenge.triesLeft) tries left, was answered \(result)")
    }
    return next
  }

  /// Requires that the answer is rejected, because the challenge has ended.
  package func expectOver(_ answer: Secret, to challenge: Challenge, _ what: String) async throws {
    let result = await result(of: answer, to: challenge)
    guard case .failure(.rejected) = result else { throw Breach("\(what) was answered \(result)") }
  }

  /// Logs in with the right password, and with `answer` if a second step is required.
  package func logIn(
    _ credentials: Credentials, limits: LimitRequest, answer: (() async -> Secret)?
  ) async throws -> Grant {
    let what = "the right password of \(credentials.username)"
    return try await grant(
      expect(what) { try await authority.authenticate(credentials, limits: limits) }, answer, what)
  }

  fileprivate func grant(
    _ result: Authentication, _ answer: (() async -> Secret)?, _ what: String
  ) async throws -> Grant {
    switch result {
    case .granted(let grant): return grant
    case .challenged(let challenge):
      guard let answer else { throw Breach("\(what) was answered with a challenge") }
      return try await grant(of: answer(), to: challenge, "the right answer to a challenge")
    }
  }

  fileprivate func expect<Value>(_ what: String, _ operation: () async throws -> Value) async throws -> Value {
    do { return try await operation() } catch { throw Breach("\(what) was answered \(error)") }
  }
}

extension AuthorityContract.Subject: AuthorityProbe {
  /// The first account with a password that it does not have.
  var wrong: Credentials {
    .password(username: first.username, password: Secret("not the password of anybody here"))
  }

  func logIn(_ credentials: Credentials? = nil, limits: LimitRequest = .standard) async throws -> Grant {
    try await logIn(credentials ?? first, limits: limits, answer: code)
  }

  func resume(_ token: SessionToken) async throws -> Grant {
    try await expect("resume of a live token") { try await authority.resume(token) }
  }

  func renew(_ token: SessionToken) async throws -> Grant {
    try await expect("renew of a live token") { try await authority.renew(token) }
  }

  func confirm(_ token: SessionToken) async throws {
    try await expect("confirm of a live token") { try await authority.confirm(token) }
  }

  func reauthenticate(_ token: SessionToken, limits: LimitRequest = .standard) async throws -> Grant {
    let what = "reauthenticate of a live session with the right password"
    return try await grant(
      expect(what) { try await authority.reauthenticate(token, with: first, limits: limits) }, code, what)
  }

  func revoke(_ token: SessionToken) async throws {
    try await expect("revoke") { try await authority.revoke(token, reason: .userAsked) }
  }
}
