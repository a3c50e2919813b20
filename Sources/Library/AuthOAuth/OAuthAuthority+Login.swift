import AuthCore
import ConcurrencyKit

// The beginning of a session, from the credentials of a login.
extension OAuthAuthority {
  /// Begins a session, or continues one with new tokens.
  ///
  /// If the user cannot be found out, the credentials still work: they keep the tokens. The tokens
  /// are not revoked, because some servers then end all sessions of the user, also those of other
  /// devices. Only the tokens of another user are.
  func begin(
    _ credentials: Credentials, _ limits: LimitRequest, of session: SavedSession? = nil
  ) async throws(OAuthError) -> Grant {
    guard let login = logins.withLock({ $0[credentials] }) else { throw .rejected(.foreignResponse) }
    // Before the request, because its answer must be saved.
    if let session {
      guard session.hasRoomForCheck else { throw .noRoom }
      guard session.user.isIdentified else { throw .unnamed }
    }
    let tokens: Tokens
    if let known = login.tokens { tokens = known } else { tokens = try await self.tokens(login.form) }
    guard let access = tokens.access else { throw .unusable() }
    let isAccess = tokens.refresh == nil
    let (token, kind) = (tokens.refresh ?? access.value, SavedSession.kind(isAccess: isAccess))
    logins.withLock { $0[credentials]?.tokens = tokens }
    let id = session?.id ?? SessionID(rawValue: Self.randomText())
    let (identity, owner): (OAuthClaims?, Owner)
    do throws(OAuthError) {
      identity = try self.identity(of: tokens, nonce: login.nonce)
      // A user whom the server does not name is another one at each login.
      owner = try await self.owner(
        of: tokens, named: identity, atLogin: session == nil ? id : SessionID(rawValue: Self.randomText()))
      if let session, session.user.id != owner.user.id {
        // Perhaps it is the same user: the token ends with the session.
        throw owner.user.isIdentified ? .rejected(.otherUser) : .unnamed
      }
    } catch {
      guard case .rejected = error else {
        if let session {
          abandoned.withLock { $0[session.id] = ($0[session.id] ?? []).filter { $0 != token } + [token] }
        }
        throw .unfinished(error)
      }
      logins.withLock { $0[credentials] = nil }
      try? await end(token, kind)
      throw error == .rejected(.denied) ? .otherUser : error
    }
    logins.withLock { $0[credentials] = nil }
    abandoned.withLock { $0[id]?.removeAll { $0 == token } }
    let now = tokens.requested
    // Without a refresh token, the session ends with the access token.
    let lifetime: Duration? =
      if isAccess, case .at(let end) = access.deadline { end.uptime - now.uptime } else { nil }
    let saved = SavedSession(
      origin: origin, id: id, user: owner.user, subject: owner.subject, refresh: token, isAccess: isAccess,
      replaced: session.map { $0.replaced + [$0.refresh] } ?? [],
      // Some servers, such as django-oauth-toolkit, call a refresh token inactive that they have
      // just issued. Their answer would end every session.
      isIntrospected: (try? await introspect(token, kind)) != nil, scope: tokens.claims["scope"],
      identity: keptIdentity(of: tokens, subject: owner.subject) ?? session?.identity,
      renewsIdentity: session?.renewsIdentity,
      // A session that was requested to be short stays short.
      idle: [limits.idle, session?.idle].compactMap(\.self).min(),
      absolute: [limits.absolute, session?.absolute, lifetime].compactMap(\.self).min(),
      began: now, active: now, fresh: now.advanced(by: provenFreshness(of: login, tokens, identity)))
    note(saved.scope, of: id)
    return saved.grant(accessToken: access)
  }

  /// How long the password that the user entered for a login counts as recent.
  ///
  /// A user can remove the request for the prompt from the address, and a server may ignore it. So
  /// only the ID token proves that the password was entered for this login (OpenID Connect Core
  /// 1.0, section 3.1.2.1, `max_age`).
  private func provenFreshness(of login: Login, _ tokens: Tokens, _ identity: OAuthClaims?) -> Duration {
    guard let began = login.prompted, began.boot == tokens.requested.boot, let age = identity?.passwordAge,
      age <= tokens.requested.uptime - began.uptime + .seconds(60)
    else { return .zero }
    return max(.zero, freshness - max(.zero, age))
  }

  /// The user of a login; asks again while the server does not answer, until ``patience`` is over.
  private func owner(
    of tokens: Tokens, named identity: OAuthClaims?, atLogin session: SessionID
  ) async throws(OAuthError) -> Owner {
    var wait = Duration.seconds(1)
    while true {
      do throws(OAuthError) { return try await owner(of: tokens, in: session, named: identity) } catch {
        switch error {
        case .unavailable(let cause) where [.unreachable, .busy].contains(cause.cause): break
        case .throttled(.wait(let time)): wait = max(wait, time)
        case .rejected, .throttled, .unavailable: throw error
        }
        let now = try now()
        guard now.boot == tokens.requested.boot, now.uptime - tokens.requested.uptime + wait <= patience else {
          throw error
        }
        do throws(CancellationError) { try await clock.sleep(for: wait) } catch { throw .loginCancelled }
        wait *= 2
      }
    }
  }
}

extension AuthorityError where Rejection == OAuthRejection {
  /// A login whose user cannot be compared with that of the session.
  fileprivate static let unnamed = oauth(
    "no_user", "The server does not say who the user is, so nobody can be confirmed as the user of this session.",
    hint: "Log out first, or switch to the new login.")

  /// A session whose saved token has no room for another one.
  fileprivate static let noRoom = oauth(
    "too_many_tokens", "So many password checks replaced the tokens of this session that no more of them can be saved.",
    hint: "Log out, which ends them all, and log in again.")
}
