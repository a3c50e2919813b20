public import AuthCore
import Guards

extension OAuthAuthority: Authority {
  /// Exchanges the credentials of an ``AuthorizationRequest`` or a ``DeviceAuthorization``.
  ///
  /// In OAuth 2.0 a client cannot request limits: this authority enforces them itself.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    try await answering(CredentialsRejection.notAccepted) { () async throws(OAuthError) in
      .granted(try await begin(credentials, limits))
    }
  }

  /// Asks the server about the refresh token (RFC 7662), where it can be asked without spending it;
  /// otherwise believes the vault.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    var saved = try await checked(token)
    await settle(&saved)
    return saved.grant(token)
  }

  /// Exchanges the refresh token (RFC 6749, section 6), and grants the new access token.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    var saved = try live(token)
    let given = saved.refresh
    return try await answering(SessionRejection.superseded) { () async throws(OAuthError) in
      // A newer one that the vault did not get: the old one may be spent.
      let old = memory.withLock { $0.newer[given] } ?? given
      let now = try now()
      let answer: TokenAnswer
      do throws(OAuthError) {
        answer = try await self.token(["grant_type": "refresh_token", "refresh_token": old])
      } catch {
        if error == .rejected(.expired) { memory.withLock { _ = $0.ended.insert(given) } }
        throw error
      }
      saved.refresh = answer.refresh ?? old
      // The old token may be spent: when the server cannot say now who the user is, the new one
      // must not be lost.
      if let (user, subject) = try? await owner(of: answer) {
        guard user.id == saved.user.id, subject == saved.subject || subject == nil else {
          if saved.refresh != old { try? await end(saved.refresh) }
          throw .otherUser
        }
        saved.user = user
      }
      if saved.limits.idle != nil { saved.active = now.uptime }
      await settle(&saved)
      remember(saved.refresh, insteadOf: given)
      return saved.grant(accessToken: answer.access)
    }
  }

  /// Exchanges new credentials of the same user, and gives the session their tokens.
  ///
  /// The session is fresh only if the request was created with `prompting`.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    let saved: SavedSession
    do throws(AuthorityError<SessionRejection>) {
      saved = try await checked(token)
    } catch {
      throw error.map(ReauthenticationRejection.session)
    }
    // A session that was requested to be short stays short.
    let limits = LimitRequest(
      idle: [limits.idle, saved.limits.idle].compactMap(\.self).min(),
      absolute: [limits.absolute, saved.limits.absolute].compactMap(\.self).min())
    return try await answering(ReauthenticationRejection.notAccepted) { () async throws(OAuthError) in
      .granted(try await begin(credentials, limits, of: saved))
    }
  }

  /// Rejects the answer: the server asks for a second step in the browser.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    throw .rejected(.notAccepted)
  }

  /// Ends the refresh token that this one replaced; OAuth 2.0 has no confirmation of its own.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    _ = try await resume(token)
  }

  /// Ends the refresh token at the server (RFC 7009), and its successor that is not confirmed.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    guard let saved = SavedSession(token) else { return }
    let newer = memory.withLock { $0.newer[saved.refresh] }
    do throws(OAuthError) {
      for refresh in Set([saved.refresh, saved.replaced, newer].compactMap(\.self)) { try await end(refresh) }
    } catch {
      switch error {
      case .unavailable(let cause): throw cause
      case .rejected, .throttled: throw Unavailability(.busy, error.description, hint: error.hint)
      }
    }
    memory.withLock { $0.newer[saved.refresh] = nil }
  }
}

extension OAuthAuthority {
  /// What the token contains, unless one of its limits has passed.
  private func live(_ token: SessionToken) throws(AuthorityError<SessionRejection>) -> SavedSession {
    guard let saved = SavedSession(token) else { throw .rejected(.ended(.revoked)) }
    let now: BootInstant
    do throws(OAuthError) { now = try self.now() } catch { throw error.map { _ in .superseded } }
    if let reason = saved.sessionLimits.endReason(at: now) { throw .rejected(.ended(reason)) }
    return saved
  }

  /// The same, after the server was asked whether the session continues, where that spends nothing.
  ///
  /// A token that is not active may have been exchanged by another process. So the answer is
  /// `superseded`: the store reads the vault again, and ends the session if nothing newer is there.
  private func checked(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> SavedSession {
    let saved = try live(token)
    try await answering(SessionRejection.superseded) { () async throws(OAuthError) in
      if memory.withLock({ $0.ended.contains(saved.refresh) }) { throw .rejected(.expired) }
      guard saved.isIntrospected, let said = try await introspect(saved.refresh, "refresh_token") else { return }
      guard said.flag("active") == true else { throw .rejected(.expired) }
      if let subject = said["sub"], let known = saved.subject, subject != known { throw .otherUser }
    }
    return saved
  }

  /// Begins a session, or continues one with new tokens.
  private func begin(
    _ credentials: Credentials, _ limits: LimitRequest, of session: SavedSession? = nil
  ) async throws(OAuthError) -> Grant {
    guard let login = memory.withLock({ $0.logins[credentials] }) else { throw .rejected(.expired) }
    let now = try now()
    let answer = try await token(login.form)
    memory.withLock { $0.logins[credentials] = nil }
    guard let refresh = answer.refresh else { throw .noRefreshToken }
    do throws(OAuthError) {
      let (user, subject) = try await owner(of: answer)
      if let session, session.user.id != user.id { throw .rejected(.expired) }
      // A server that calls a token inactive which it has just issued, as django-oauth-toolkit,
      // does not know refresh tokens there: its answer would end every session.
      let said = try? await introspect(refresh, "refresh_token")
      let saved = SavedSession(
        id: session?.id ?? SessionID(rawValue: randomText()), user: user, subject: subject, refresh: refresh,
        replaced: session?.refresh, isIntrospected: said?.flag("active") ?? false, limits: limits, boot: now.boot,
        began: now.uptime, active: now.uptime, fresh: login.isFresh ? now.uptime + freshness : now.uptime)
      if let session { remember(refresh, insteadOf: session.refresh) }
      return saved.grant(accessToken: answer.access)
    } catch {
      try? await end(refresh)
      throw error
    }
  }

  /// Stores a refresh token in memory until it is known to be in the vault.
  private func remember(_ refresh: String, insteadOf old: String) {
    if old != refresh { memory.withLock { $0.newer[old] = refresh } }
  }

  /// Ends what the token replaced, now that the vault has it: the first use confirms a token.
  private func settle(_ saved: inout SavedSession) async {
    if let replaced = saved.replaced, (try? await end(replaced)) != nil { saved.replaced = nil }
    let refresh = saved.refresh
    memory.withLock { memory in
      for (old, new) in memory.newer where new == refresh {
        memory.newer[old] = nil
        memory.ended.insert(old)
      }
    }
  }
}

/// Runs `body`, and throws its error as the error of a command.
private func answering<Rejection, Value>(
  _ rejection: Rejection, _ body: () async throws(OAuthError) -> Value
) async throws(AuthorityError<Rejection>) -> Value {
  do throws(OAuthError) { return try await body() } catch { throw error.map { _ in rejection } }
}
