extension LoggedInSession {
  /// Runs `body` with a valid access token, while the session cannot end.
  ///
  /// If the token expires soon, the store renews the session first, once for all callers. A renewal
  /// counts as activity. If it fails, the store lends a token that is still valid. If `body` throws
  /// ``AccessTokenRefused``, it runs once more, with a new token. If the server also refuses that
  /// one, the store asks the authority whether the session has ended.
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func load(
  ///   _ session: LoggedInSession,
  ///   get: (_ authorization: String) async throws -> (status: Int, body: [UInt8])
  /// ) async throws -> [UInt8] {
  ///   try await session.withAccess { (token: borrowing LentAccessToken) in
  ///     let (status, body) = try await get(token.header)
  ///     if status == 401 { throw AccessTokenRefused() }
  ///     return body
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How long to wait for a valid token; see ``SessionStore/restore(within:)``. It does
  ///     not limit `body`.
  ///   - body: Sends the request.
  /// - Returns: The result of `body`.
  /// - Throws: ``AccessError/session(_:)`` when there is no valid token, ``AccessError/body(_:)``
  ///   with the error of `body`.
  public func withAccess<Result: ~Copyable, Failure: Error>(
    within limit: Duration? = nil, _ body: (borrowing LentAccessToken) async throws(Failure) -> Result
  ) async throws(AccessError<Failure>) -> Result {
    try await gate.tryingAgain(within: limit) { (token: AccessToken) async throws(AccessError<Failure>) -> Result in
      if let reason = gate.enter(inTask: true) { throw .session(.ended(reason)) }
      defer { gate.leave(inTask: true) }
      do throws(Failure) { return try await body(LentAccessToken(value: token.value)) } catch { throw .body(error) }
    }
  }
}

extension SessionLease {
  /// Runs `body` with a valid access token of the leased session; see
  /// ``LoggedInSession/withAccess(within:_:)``.
  ///
  /// A logout also waits for the renewal, so prefer the form of the session unless you need the
  /// lease for something else.
  ///
  /// - Parameters:
  ///   - limit: How long to wait for a valid token; see ``SessionStore/restore(within:)``. It does
  ///     not limit `body`.
  ///   - body: Sends the request.
  /// - Returns: The result of `body`.
  /// - Throws: ``AccessError/session(_:)`` when there is no valid token, ``AccessError/body(_:)``
  ///   with the error of `body`.
  public func withAccess<Result: ~Copyable, Failure: Error>(
    within limit: Duration? = nil, _ body: (borrowing LentAccessToken) async throws(Failure) -> Result
  ) async throws(AccessError<Failure>) -> Result {
    try await gate.tryingAgain(within: limit) { (token: AccessToken) async throws(AccessError<Failure>) -> Result in
      do throws(Failure) { return try await body(LentAccessToken(value: token.value)) } catch { throw .body(error) }
    }
  }
}

extension LeaseGate {
  /// Runs `attempt` with a valid access token, and once more with a new one if the server refuses
  /// the first.
  fileprivate func tryingAgain<Result: ~Copyable, Failure: Error>(
    within limit: Duration?, _ attempt: (AccessToken) async throws(AccessError<Failure>) -> Result
  ) async throws(AccessError<Failure>) -> Result {
    var refused: AccessToken?
    while true {
      let token: AccessToken
      do throws(SessionError) {
        guard let core else { throw .ended(reason ?? .storeReleased) }
        token = try await core.waiting(atMost: limit, late: \.timedOut) { [refused] () async throws(SessionError) in
          try await core.accessToken(of: self, insteadOf: refused)
        }
      } catch {
        throw .session(error)
      }
      do throws(AccessError<Failure>) {
        return try await attempt(token)
      } catch {
        guard case .body(let failure) = error, failure is AccessTokenRefused else { throw error }
        if refused != nil {
          // If the check fails, nothing is known about the session, so the caller gets the refusal:
          // it says more than an error of a check that the caller did not request.
          _ = try? await core?.session(of: .check, about: .anyone)
          if let reason { throw .session(.ended(reason)) }
          throw error
        }
        refused = token
      }
    }
  }
}
