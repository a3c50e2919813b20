public import AuthCore
import Guards

extension OAuthAuthority: Authority {
  /// Exchanges the credentials of an ``AuthorizationRequest`` or a ``DeviceAuthorization``.
  ///
  /// In OAuth 2.0 a client cannot request limits: this authority enforces them itself.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try await rejecting(with: CredentialsRejection.notAccepted) { () async throws(OAuthError) in
      .granted(try await begin(credentials, limits))
    }
  }

  /// Asks the server about the refresh token (RFC 7662), if that does not use it up; otherwise
  /// accepts the token of the vault.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    var saved = try await checked(token)
    await confirm(&saved)
    return saved.grant(token)
  }

  /// Exchanges the refresh token (RFC 6749, section 6), and grants the new access token.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    var saved = try unexpired(token)
    return try await rejecting(with: SessionRejection.superseded) { () async throws(OAuthError) in
      await confirm(&saved)
      let given = saved.refresh
      let old = memory.withLock { $0.newest(given) }
      let tokens = try await tokens(["grant_type": "refresh_token", "refresh_token": old])
      saved.refresh = tokens.refresh
      // The old token may be spent: if the server cannot say now who the user is, the new one must
      // not be lost.
      if let (user, subject) = try? await owner(of: tokens) {
        guard user.id == saved.user.id, subject == saved.subject || subject == nil else {
          if tokens.refresh != old { try? await end(tokens.refresh) }
          throw .otherUser
        }
        saved.user = user
      }
      if saved.limits.idle != nil { saved.active = tokens.requested }
      // Until the vault is known to hold it.
      if tokens.refresh != given { memory.withLock { $0.fates[given] = .replaced(by: tokens.refresh) } }
      return saved.grant(accessToken: tokens.access)
    }
  }

  /// Exchanges new credentials of the same user, and continues the session with their tokens.
  ///
  /// The session is fresh only if the request was created with `prompting`.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    let saved: SavedSession
    do throws(AuthorityError<SessionRejection>) { saved = try await checked(token) } catch {
      throw error.map(ReauthenticationRejection.session)
    }
    return try await rejecting(with: ReauthenticationRejection.notAccepted) { () async throws(OAuthError) in
      .granted(try await begin(credentials, limits, of: saved))
    }
  }

  /// Rejects the answer: the server prompts for a second step in the browser.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    throw .rejected(.notAccepted)
  }

  /// Ends the refresh token that this one replaced, because OAuth 2.0 has no confirmation.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    _ = try await resume(token)
  }

  /// Ends the refresh token at the server (RFC 7009), and its successor that is not confirmed.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    guard let saved = SavedSession(token) else { return }
    let newest = memory.withLock { $0.newest(saved.refresh) }
    do throws(OAuthError) {
      for refresh in Set([saved.refresh, saved.replaced, newest].compactMap(\.self)) { try await end(refresh) }
    } catch {
      if case .unavailable(let cause) = error { throw cause }
      throw Unavailability(.busy, error.description, hint: error.hint)
    }
  }
}

extension OAuthAuthority {
  /// The content of the token, unless one of its limits has passed.
  private func unexpired(_ token: SessionToken) throws(AuthorityError<SessionRejection>) -> SavedSession {
    guard let saved = SavedSession(token) else { throw .rejected(.ended(.revoked)) }
    let now: BootInstant
    do throws(OAuthError) { now = try self.now() } catch { throw error.map { _ in .superseded } }
    if let reason = saved.sessionLimits.endReason(at: now) { throw .rejected(.ended(reason)) }
    return saved
  }

  /// The same, after the server confirmed that the session continues, if that does not use up the
  /// token.
  ///
  /// Another process may have exchanged a token that is not active. So the rejection is
  /// `superseded`: the store reads the vault again, and ends the session if nothing newer is there.
  private func checked(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> SavedSession {
    let saved = try unexpired(token)
    try await rejecting(with: SessionRejection.superseded) { () async throws(OAuthError) in
      if memory.withLock({ $0.fates[$0.newest(saved.refresh)] == .ended }) { throw .rejected(.expired) }
      guard saved.isIntrospected, server.endpoints[.introspection] != nil else { return }
      let active = try await introspect(saved.refresh, "refresh_token")
      if let subject = active["sub"], let known = saved.subject, subject != known { throw .otherUser }
    }
    return saved
  }

  /// Begins a session, or continues one with new tokens.
  private func begin(
    _ credentials: Credentials, _ limits: LimitRequest, of session: SavedSession? = nil
  ) async throws(OAuthError) -> Grant {
    guard let login = memory.withLock({ $0.logins[credentials] }) else { throw .rejected(.expired) }
    let tokens = try await tokens(login.form)
    memory.withLock { $0.logins[credentials] = nil }
    do throws(OAuthError) {
      let (user, subject) = try await owner(of: tokens)
      if let session, session.user.id != user.id { throw .rejected(.expired) }
      let now = tokens.requested
      let saved = SavedSession(
        id: session?.id ?? SessionID(rawValue: Self.randomText()), user: user, subject: subject,
        refresh: tokens.refresh,
        replaced: session?.refresh,
        // Some servers, such as django-oauth-toolkit, call a refresh token inactive that they have
        // just issued. Their answer would end every session.
        isIntrospected: (try? await introspect(tokens.refresh, "refresh_token")) != nil,
        // A session that was requested to be short stays short.
        limits: LimitRequest(
          idle: [limits.idle, session?.limits.idle].compactMap(\.self).min(),
          absolute: [limits.absolute, session?.limits.absolute].compactMap(\.self).min()),
        began: now, active: now, fresh: login.isFresh ? now.advanced(by: freshness) : now)
      if let session { memory.withLock { $0.fates[session.refresh] = .replaced(by: tokens.refresh) } }
      return saved.grant(accessToken: tokens.access)
    } catch {
      try? await end(tokens.refresh)
      throw error
    }
  }

  /// Ends the tokens before this one: its first use shows that the vault holds it.
  private func confirm(_ saved: inout SavedSession) async {
    if let replaced = saved.replaced, (try? await end(replaced)) != nil { saved.replaced = nil }
    let spent = OAuthMemory.Fate.replaced(by: saved.refresh)
    memory.withLock { memory in memory.fates = memory.fates.mapValues { $0 == spent ? .ended : $0 } }
  }
}

/// Runs `body`, and throws its error as the error of a command.
private func rejecting<Rejection, Value>(
  with rejection: Rejection, _ body: () async throws(OAuthError) -> Value
) async throws(AuthorityError<Rejection>) -> Value {
  do throws(OAuthError) { return try await body() } catch { throw error.map { _ in rejection } }
}
