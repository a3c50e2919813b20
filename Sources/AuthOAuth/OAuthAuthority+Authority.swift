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
    let saved = try await used(token)
    let newest = newest(saved.refresh)
    if fates.withLock({ $0[newest] == .ended }) { throw .rejected(.superseded) }
    guard saved.isIntrospected, server.endpoints[.introspection] != nil else { return saved.grant(token) }
    do throws(OAuthError) {
      let active = try await introspect(saved.refresh, "refresh_token")
      if let subject = active["sub"], let known = saved.subject, subject != known { throw .otherUser }
      return saved.grant(token)
    } catch { throw error.map { _ in .superseded } }
  }

  /// Exchanges the refresh token (RFC 6749, section 6), and grants the new access token.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    var saved = try await used(token)
    let (given, newest) = (saved.refresh, newest(saved.refresh))
    do throws(OAuthError) {
      let tokens = try await tokens(["grant_type": "refresh_token", "refresh_token": newest])
      saved.refresh = tokens.refresh
      // The old token may be spent: if the server cannot say now who the user is, the new one must
      // not be lost.
      // An answer without the name that the server gave before is about nobody.
      if let (user, subject) = try? await owner(of: tokens), subject != nil || saved.subject == nil {
        guard user.id == saved.user.id, subject == saved.subject else {
          if tokens.refresh != newest { try? await end(tokens.refresh) }
          throw .otherUser
        }
        saved.user = user
      }
      if saved.idle != nil { saved.active = tokens.requested }
      // Until the vault is known to hold it.
      if tokens.refresh != given { fates.withLock { $0[given] = .replaced(by: tokens.refresh) } }
      return saved.grant(accessToken: tokens.access)
    } catch { throw error.map { _ in .superseded } }
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
      throw error.map { _ in .notAccepted }
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
    let tokens = [saved.refresh, saved.replaced, newest(saved.refresh)].compactMap(\.self)
    do throws(OAuthError) { for refresh in Set(tokens) { try await end(refresh) } } catch {
      if case .unavailable(let cause) = error { throw cause }
      throw Unavailability(.busy, error.description, hint: error.hint)
    }
  }

  /// The content of the token, unless one of its limits has passed.
  ///
  /// Its first use shows that the vault holds it, and so ends the tokens before it.
  private func used(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> SavedSession {
    guard var saved = SavedSession(token) else { throw .rejected(.ended(.revoked)) }
    let now: BootInstant
    do throws(OAuthError) { now = try self.now() } catch { throw error.map { _ in .superseded } }
    if let reason = saved.grant(token).limits.endReason(at: now) { throw .rejected(.ended(reason)) }
    if let replaced = saved.replaced, (try? await end(replaced)) != nil { saved.replaced = nil }
    let spent = Fate.replaced(by: saved.refresh)
    fates.withLock { $0.replaceAll(spent, with: .ended) }
    return saved
  }

  /// Begins a session, or continues one with new tokens.
  private func begin(
    _ credentials: Credentials, _ limits: LimitRequest, of session: SavedSession? = nil
  ) async throws(OAuthError) -> Grant {
    guard let login = logins.withLock({ $0[credentials] }) else { throw .rejected(.expired) }
    let tokens = try await tokens(login.form)
    logins.withLock { $0[credentials] = nil }
    do throws(OAuthError) {
      let (user, subject) = try await owner(of: tokens)
      if let session, session.user.id != user.id { throw .rejected(.expired) }
      let now = tokens.requested
      let saved = SavedSession(
        id: session?.id ?? SessionID(rawValue: Self.randomText()), user: user, subject: subject,
        refresh: tokens.refresh, replaced: session?.refresh,
        // Some servers, such as django-oauth-toolkit, call a refresh token inactive that they have
        // just issued. Their answer would end every session.
        isIntrospected: (try? await introspect(tokens.refresh, "refresh_token")) != nil,
        // A session that was requested to be short stays short.
        idle: [limits.idle, session?.idle].compactMap(\.self).min(),
        absolute: [limits.absolute, session?.absolute].compactMap(\.self).min(),
        began: now, active: now, fresh: login.isFresh ? now.advanced(by: freshness) : now)
      if let session { fates.withLock { $0[session.refresh] = .replaced(by: tokens.refresh) } }
      return saved.grant(accessToken: tokens.access)
    } catch {
      try? await end(tokens.refresh)
      throw error
    }
  }
}
