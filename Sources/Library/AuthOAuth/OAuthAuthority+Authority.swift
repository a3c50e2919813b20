public import AuthCore
import ConcurrencyKit

extension OAuthAuthority: Authority {
  /// Exchanges the credentials of a login in the browser or on another device.
  ///
  /// In OAuth 2.0 a client cannot request limits: this authority enforces them itself.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    do throws(OAuthError) { return .granted(try await begin(credentials, limits)) } catch {
      throw error.ofCommand(CredentialsRejection.loginRefused)
    }
  }

  /// Why a saved session is not one of this server and this client.
  public func notHere(_ token: SessionToken) -> Unavailability? {
    guard case .elsewhere(let origin) = SavedSession.read(token, at: origin) else { return nil }
    return Unavailability(
      .unreadable, "The saved session belongs to \(origin.described(besides: self.origin)). It was not used here.",
      hint: "Use the app's settings of that login, or log out, which only deletes it here.",
      code: "session_of_other_server")
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
      return try renewed(
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
      guard case .own(let saved) = SavedSession.read(token, at: origin), let answer = interrupted.answer,
        let response = try? CurlTransport.response(recorded: answer)
      else { return nil }
      do throws(OAuthError) {
        let claims = try OAuthServer.claims(of: response, from: server.issuer.host, toRefresh: true)
        return try renewed(saved, try tokens(claims, replacing: saved.refresh, requested: interrupted.began))
      } catch {
        // Every other answer says nothing about the session: the caller sends the token again.
        guard error.ofTokens(isRenewal: true) == .rejected(.expired) || error == .rejected(.otherUser) else {
          return nil
        }
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
      throw error.isRefused("invalid_token") ? .rejected(.expired) : error
    }
    let deadline = saved.absolute.map { Deadline.at(saved.began.advanced(by: $0)) } ?? .never
    return next.grant(accessToken: AccessToken(saved.refresh, deadline: deadline))
  }

  /// Continues a session with the answer to a renewal.
  ///
  /// An ID token of another user ends the session before anybody gets the new access token (OpenID
  /// Connect Core 1.0, section 12.2).
  private func renewed(_ saved: SavedSession, _ tokens: Tokens) throws(OAuthError) -> Grant {
    var next = saved
    next.refresh = tokens.refresh ?? saved.refresh
    if let identity = try? tokens.claims.identity(), identity["iss"] == server.issuer, let known = saved.subject,
      let other = identity.subject, other != known
    {
      // The answer of the other user's tokens is nobody's to wait for.
      let token = next.refresh
      Task { try? await end(token) }
      throw .rejected(.otherUser)
    }
    next.scope = tokens.claims["scope"] ?? saved.scope
    // An answer with nothing but a refresh token says nothing about ID tokens.
    if keepsIdentity, tokens.access != nil {
      let identity = keptIdentity(of: tokens, subject: saved.subject)
      (next.identity, next.renewsIdentity) = (identity ?? saved.identity, identity != nil)
    }
    note(next.scope, of: saved.id)
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
  /// The session is fresh only if the request was created with `prompting`, and the ID token says
  /// that the user entered the password for it (`auth_time`).
  public func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    do throws(AuthorityError<SessionRejection>) { _ = try await resume(token) } catch {
      throw error.map(ReauthenticationRejection.session)
    }
    do throws(OAuthError) { return .granted(try await begin(credentials, limits, of: SavedSession(token))) } catch {
      throw error.ofCommand(ReauthenticationRejection.loginRefused)
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
  /// session ends. If the server does not answer, the store asks again.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    let saved = try used(token)
    guard let tokens = unconfirmed.withLock({ $0[saved.refresh] }) else { return }
    do throws(OAuthError) {
      // A wrong ID token says nothing at a renewal: the session is already known.
      let owner = try await owner(
        of: tokens, in: saved.id, named: (try? identity(of: tokens, nonce: nil)) ?? nil)
      unconfirmed.withLock { $0[saved.refresh] = nil }
      // An answer without `sub` is ignored if the server sent one before, and the reverse.
      guard (owner.subject == nil) == (saved.subject == nil) else { return }
      guard owner.user.id == saved.user.id, owner.subject == saved.subject else { throw .rejected(.otherUser) }
      users.withLock { $0[saved.id] = owner.user }
    } catch {
      switch error {
      case .rejected:
        unconfirmed.withLock { $0[saved.refresh] = nil }
        ended.withLock { $0[saved.id] = () }
        try? await end(saved.refresh, saved.kind)
        throw .rejected(.ended(.revoked))
      case .throttled(let throttle): throw .throttled(throttle)
      case .unavailable(let cause):
        // Only a server that can answer is asked again.
        guard [.unreachable, .busy].contains(cause.cause) else {
          unconfirmed.withLock { $0[saved.refresh] = nil }
          return
        }
        throw .unavailable(cause)
      }
    }
  }

  /// Ends the token at the server (RFC 7009), and those of password checks.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let saved: SavedSession
    switch SavedSession.read(token, at: origin) {
    case .own(let own): saved = own
    case .elsewhere: throw notHere(token) ?? .earlierVersion
    case .earlier: throw .earlierVersion
    case .unknown: return
    }
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
    var saved: SavedSession
    switch SavedSession.read(token, at: origin) {
    case .own(let own): saved = own
    case .elsewhere: throw .unavailable(notHere(token) ?? .earlierVersion)
    case .earlier: throw .unavailable(.earlierVersion)
    case .unknown: throw .rejected(.ended(.revoked))
    }
    let now: BootInstant
    do throws(OAuthError) { now = try self.now() } catch { throw error.map { _ in .superseded } }
    if let reason = saved.grant(token).limits.endReason(at: now) { throw .rejected(.ended(reason)) }
    if ended.withLock({ $0[saved.id] != nil }) { throw .rejected(.ended(.revoked)) }
    if let user = users.withLock({ $0[saved.id] }) { saved.user = user }
    note(saved.scope, of: saved.id)
    return saved
  }

  func note(_ scope: String?, of session: SessionID) {
    if let scope { scopes.withLock { $0[session] = scope } }
  }
}

extension Origin {
  /// The part that differs from `own`.
  fileprivate func described(besides own: Origin) -> String {
    issuer == own.issuer ? "another client of \(issuer)" : "the server \(issuer)"
  }
}

extension Unavailability {
  /// A saved session that does not name its server.
  fileprivate static let earlierVersion = Unavailability(
    .unsupported, "The saved session does not name its server: an earlier version saved it.", hint: "Log in again.",
    code: "session_of_earlier_version")
}
