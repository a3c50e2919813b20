public import AuthCore
import Guards

extension OAuthAuthority: Authority {
  /// Exchanges the credentials of a login in the browser or on another device.
  ///
  /// In OAuth 2.0 a client cannot request limits: this authority enforces them itself.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    do throws(OAuthError) { return .granted(try await begin(credentials, limits)) } catch {
      throw error.map { _ in .notAccepted }
    }
  }

  /// Asks the server about the refresh token (RFC 7662), if that does not use it up; otherwise
  /// accepts the token of the vault.
  ///
  /// Another process may have exchanged a token that is not active. So the rejection is
  /// `superseded`: the store reads the vault again, and ends the session if nothing newer is there.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    let saved = try used(token)
    guard saved.isIntrospected, server.endpoints[.introspection] != nil else { return saved.grant(token) }
    do throws(OAuthError) {
      let active = try await introspect(saved.refresh, saved.kind)
      if let subject = active["sub"], let known = saved.subject, subject != known { throw .otherUser }
      return saved.grant(token)
    } catch { throw error.map { _ in .superseded } }
  }

  /// The use of a refresh token may spend it (RFC 9700, section 4.14.2).
  public var exchange: TokenExchange { .spendsOld }

  /// Exchanges the refresh token (RFC 6749, section 6), and grants the new access token.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await renew(token, recorder: nil)
  }

  /// Exchanges the refresh token, and asks for nothing else: the new one must be saved first.
  ///
  /// Without a refresh token, it asks whether the access token still works.
  public func renew(
    _ token: SessionToken, recorder: ExchangeRecorder?
  ) async throws(AuthorityError<SessionRejection>) -> Grant {
    let saved = try used(token)
    do throws(OAuthError) {
      if saved.isAccess { return try await granted(saved) }
      return renewed(
        saved, try await tokens(["grant_type": "refresh_token", "refresh_token": saved.refresh], recorder: recorder))
    } catch {
      if case .rejected = error { ended.withLock { $0[saved.id] = () } }
      throw error.map { _ in .ended(.revoked) }
    }
  }

  /// Reads the answer of curl; see ``CurlTransport``.
  public func recover(
    _ token: SessionToken, _ interrupted: InterruptedExchange
  ) throws(AuthorityError<SessionRejection>) -> Grant? {
    #if canImport(Darwin)
      return nil
    #else
      guard let saved = SavedSession(token), let answer = interrupted.answer,
        let response = try? CurlTransport.response(recorded: answer)
      else { return nil }
      do throws(OAuthError) {
        let claims = try OAuthServer.claims(of: response, from: server.issuer.host, toRefresh: true)
        return renewed(saved, try tokens(claims, saved.refresh, requested: interrupted.began))
      } catch {
        // Every other answer says nothing about the session: the caller sends the token again.
        guard error == .refused("invalid_grant") else { return nil }
        throw .rejected(.ended(.revoked))
      }
    #endif
  }

  /// Grants the access token of a session again, if the server does not refuse it.
  private func granted(_ saved: SavedSession) async throws(OAuthError) -> Grant {
    var next = saved
    next.active = try now()
    do throws(OAuthError) {
      if saved.isIntrospected {
        _ = try await introspect(saved.refresh, saved.kind)
      } else if let address = server.endpoints[.userInfo] {
        _ = try await server.request(address, authorization: "Bearer \(saved.refresh)")
      }
    } catch {
      throw error == .refused("invalid_token") ? .rejected(.expired) : error
    }
    let deadline = saved.absolute.map { Deadline.at(saved.began.advanced(by: $0)) } ?? .never
    return next.grant(accessToken: AccessToken(saved.refresh, deadline: deadline))
  }

  private func renewed(_ saved: SavedSession, _ tokens: Tokens) -> Grant {
    var next = saved
    next.refresh = tokens.refresh ?? saved.refresh
    // Stored for ``confirm(_:)``, which asks for the user.
    unconfirmed.withLock { $0[next.refresh] = tokens }
    if let user = users.withLock({ $0[saved.id] }) { next.user = user }
    // The token changes also if the server grants the same refresh token again: so another process
    // that waited notices that the vault has a newer access token.
    next.active = tokens.requested
    return next.grant(accessToken: tokens.access)
  }

  /// Exchanges new credentials of the same user, and continues the session with their tokens.
  ///
  /// The session is fresh only if the request was created with `prompting`.
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    do throws(AuthorityError<SessionRejection>) { _ = try await resume(token) } catch {
      throw error.map(ReauthenticationRejection.session)
    }
    do throws(OAuthError) { return .granted(try await begin(credentials, limits, of: SavedSession(token))) } catch {
      // An expired code does not mean that another user logged in.
      throw (error == .rejected(.expired) ? .expiredLogin : error).map { _ in .notAccepted }
    }
  }

  /// Rejects the answer: the server prompts for a second step in the browser.
  public func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    throw .rejected(.notAccepted)
  }

  /// Asks the server for the user.
  ///
  /// The names of the user change at the next renewal. If the tokens are those of another user, the
  /// session ends.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    let saved = try used(token)
    let tokens = unconfirmed.withLock { $0.removeValue(forKey: saved.refresh) }
    // An answer without `sub` is ignored if the server sent one before.
    guard let tokens, let (user, subject) = try? await owner(of: tokens), subject != nil || saved.subject == nil
    else { return }
    guard user.id == saved.user.id, subject == saved.subject else {
      try? await end(saved.refresh, saved.kind)
      throw .rejected(.ended(.revoked))
    }
    users.withLock { $0[saved.id] = user }
  }

  /// Ends the token at the server (RFC 7009), and those of password checks.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    guard let saved = SavedSession(token) else { return }
    unconfirmed.withLock { $0[saved.refresh] = nil }
    users.withLock { $0[saved.id] = nil }
    let others = saved.replaced + (abandoned.withLock { $0[saved.id] } ?? [])
    var failure: OAuthError?
    for token in [saved.refresh] + others {
      do throws(OAuthError) { try await end(token, saved.kind) } catch { failure = failure ?? error }
    }
    if let failure {
      if case .unavailable(let cause) = failure { throw cause }
      throw Unavailability(.busy, failure.description, hint: failure.hint)
    }
    abandoned.withLock { $0[saved.id] = nil }
    ended.withLock { $0[saved.id] = () }
  }

  /// The content of the token, unless one of its limits has passed.
  private func used(_ token: SessionToken) throws(AuthorityError<SessionRejection>) -> SavedSession {
    guard var saved = SavedSession(token) else { throw .rejected(.ended(.revoked)) }
    let now: BootInstant
    do throws(OAuthError) { now = try self.now() } catch { throw error.map { _ in .superseded } }
    if let reason = saved.grant(token).limits.endReason(at: now) { throw .rejected(.ended(reason)) }
    if ended.withLock({ $0[saved.id] != nil }) { throw .rejected(.ended(.revoked)) }
    if let user = users.withLock({ $0[saved.id] }) { saved.user = user }
    return saved
  }

  /// Begins a session, or continues one with new tokens.
  private func begin(
    _ credentials: Credentials, _ limits: LimitRequest, of session: SavedSession? = nil
  ) async throws(OAuthError) -> Grant {
    guard let login = logins.withLock({ $0[credentials] }) else { throw .rejected(.foreignResponse) }
    let tokens: Tokens
    if let known = login.tokens { tokens = known } else { tokens = try await self.tokens(login.form) }
    logins.withLock { $0[credentials] = nil }
    let isAccess = tokens.refresh == nil
    let (token, kind) = (tokens.refresh ?? tokens.access.value, SavedSession.kind(isAccess: isAccess))
    do throws(OAuthError) {
      let (user, subject) = try await owner(of: tokens)
      if let session, session.user.id != user.id { throw .rejected(.denied) }
      let now = tokens.requested
      // Without a refresh token, the session ends with the access token.
      let lifetime: Duration? =
        if isAccess, case .at(let end) = tokens.access.deadline { end.uptime - now.uptime } else { nil }
      let saved = SavedSession(
        id: session?.id ?? SessionID(rawValue: Self.randomText()), user: user, subject: subject,
        refresh: token, isAccess: isAccess,
        // Not all of them, because a vault has little room.
        replaced: session.map { Array(($0.replaced + [$0.refresh]).suffix(4)) } ?? [],
        // Some servers, such as django-oauth-toolkit, call a refresh token inactive that they have
        // just issued. Their answer would end every session.
        isIntrospected: (try? await introspect(token, kind)) != nil,
        // A session that was requested to be short stays short.
        idle: [limits.idle, session?.idle].compactMap(\.self).min(),
        absolute: [limits.absolute, session?.absolute, lifetime].compactMap(\.self).min(),
        began: now, active: now, fresh: login.isFresh ? now.advanced(by: freshness) : now)
      return saved.grant(accessToken: tokens.access)
    } catch {
      if let session, error != .rejected(.denied) {
        abandoned.withLock { $0[session.id] = ($0[session.id] ?? []) + [token] }
      } else {
        try? await end(token, kind)
      }
      throw error
    }
  }
}
