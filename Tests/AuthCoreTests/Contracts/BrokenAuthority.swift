import AuthCore
import AuthCoreTesting
import Guards

/// An authority that breaks one rule.
final class BrokenAuthority: Authority {
  enum Flaw: CaseIterable {
    case grantsAnotherUser, repeatsTokens, acceptsAnyPassword, tellsUnknownNames, unknownTokenIsUnavailable
    case revokeDoesNothing, revokesTwiceFails, revokesEverything, renewRecreates, refusalEndsTheSession
    case acceptsAnyAccountsPassword, exchangesAtOnce, neverSupersedes, confirmsOnce, useDoesNotConfirm
    case renewExchangesAtOnce, revokesOneTokenOnly, limitsMissing, lengthens, ignoresRequests, resumeIsActivity
    case renewIsNoActivity, renewMovesAbsolute, neverExpires, rejectsWhenUnavailable, losesLogins
    case renewsAnotherUser, forgetsRequests, resumesAnotherUser, resumeExchanges
    case numbersSessionsPerUser, reusesNamesOfEndedSessions
    case skipsSecondStep, challengesWrongPasswords, wrongAnswersAreFree, rightAnswersAlwaysOpen
    case challengeEndsTheSession, unavailableEndsTheChallenge
    case accessTokensWithoutEnd, accessTokensOnlyAtLogin, repeatsAccessTokens
  }

  let base: ScriptedAuthority
  let flaw: Flaw
  /// The state for its defects.
  private let notes = Locked(Notes())

  init(base: ScriptedAuthority, flaw: Flaw) {
    self.base = base
    self.flaw = flaw
  }

  private struct Notes {
    var last: Grant?
    var all: [Grant] = []
    var confirmed: Set<SessionToken> = []
    var revoked: Set<SessionToken> = []
    /// The name of each session, and the number of sessions of each user.
    var names: [SessionID: SessionID] = [:]
    var sessions: [UserID: Int] = [:]
  }

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    var credentials = credentials
    switch flaw {
    case .grantsAnotherUser: if credentials == World.alice { credentials = World.bob }
    case .acceptsAnyPassword where credentials.username == "alice": credentials = World.alice
    case .tellsUnknownNames where credentials.username.hasPrefix("nobody"):
      throw .unavailable(Unavailability(.unreadable, "no such name"))
    case .repeatsTokens: if let last = notes.withLock({ $0.last }) { return .granted(last) }
    case .losesLogins:
      if let last = notes.withLock({ $0.all.count >= 4 ? $0.last : nil }) { return .granted(last) }
    default: break
    }
    let granted: Grant
    do throws(AuthorityError<CredentialsRejection>) {
      switch try await base.authenticate(credentials, limits: flaw == .ignoresRequests ? .standard : limits) {
      case .granted(let grant): granted = grant
      case .challenged(let challenge):
        guard flaw == .skipsSecondStep, let opened = try? await base.answer(challenge, with: World.code) else {
          return .challenged(challenge)
        }
        return opened
      }
    } catch {
      guard flaw == .challengesWrongPasswords, error == .rejected(.notAccepted) else { throw error }
      return .challenged(
        Challenge(token: SessionToken(bytes: [1]), question: .code(digits: 6), triesLeft: 1, deadline: .never))
    }
    let grant = bent(granted, limits)
    notes.withLock { notes in
      notes.last = grant
      notes.all.append(grant)
    }
    return .granted(grant)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    let isRevoked = notes.withLock { $0.revoked.contains(token) }
    if flaw == .revokesOneTokenOnly || flaw == .renewRecreates, isRevoked { throw .rejected(.ended(.revoked)) }
    if flaw == .neverSupersedes || flaw == .neverExpires, !isRevoked, let grant = grant(of: token) { return grant }
    do throws(AuthorityError<SessionRejection>) {
      if flaw == .resumeIsActivity { return try await base.renew(token) }
      if flaw == .useDoesNotConfirm, isUnconfirmed(token), let grant = grant(of: token) { return grant }
      let grant = try await base.resume(token)
      if flaw == .resumesAnotherUser { return grant.ofAnotherUser }
      if flaw == .resumeExchanges {
        let other = SessionToken(bytes: token.bytes + [1])
        return Grant(id: grant.id, user: grant.user, token: other, limits: grant.limits)
      }
      return bent(grant, .standard)
    } catch {
      throw twisted(error)
    }
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    if flaw == .renewRecreates, notes.withLock({ $0.revoked.contains(token) }), let grant = grant(of: token) {
      notes.withLock { _ = $0.revoked.remove(token) }
      return grant
    }
    if flaw == .renewIsNoActivity { return try await resume(token) }
    do throws(AuthorityError<SessionRejection>) {
      let grant = try await base.renew(token)
      if flaw == .renewsAnotherUser {
        return grant.ofAnotherUser
      }
      if flaw == .renewExchangesAtOnce { try await base.confirm(grant.token) }
      guard flaw == .renewMovesAbsolute, case .at(let idle) = grant.limits.idle else { return bent(grant, .standard) }
      return Grant(
        id: grant.id, user: grant.user, token: grant.token,
        limits: SessionLimits(idle: .at(idle), absolute: .at(idle.advanced(by: .seconds(1))), fresh: grant.limits.fresh)
      )
    } catch {
      throw twisted(error)
    }
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    var credentials = credentials
    if flaw == .acceptsAnyAccountsPassword, credentials == World.bob { credentials = World.alice }
    do throws(AuthorityError<ReauthenticationRejection>) {
      let longest = LimitRequest(idle: .seconds(1 << 40), absolute: .seconds(1 << 40))
      let result = try await base.reauthenticate(
        token, with: credentials, limits: flaw == .forgetsRequests ? longest : limits)
      guard case .granted(let granted) = result else {
        if flaw == .challengeEndsTheSession { base.end(token, .revoked) }
        return result
      }
      let grant = bent(granted, limits)
      notes.withLock { $0.all.append(grant) }
      if flaw == .exchangesAtOnce { _ = try? await base.confirm(grant.token) }
      return .granted(grant)
    } catch {
      if flaw == .refusalEndsTheSession, error == .rejected(.notAccepted) { base.end(token, .revoked) }
      if flaw == .rejectsWhenUnavailable, case .unavailable = error { throw .rejected(.session(.ended(.revoked))) }
      throw error
    }
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    do throws(AuthorityError<ReauthenticationRejection>) {
      let result = try await base.answer(challenge, with: answer)
      if flaw == .wrongAnswersAreFree, case .challenged = result { return .challenged(challenge) }
      return result
    } catch {
      switch (flaw, error) {
      case (.rightAnswersAlwaysOpen, .rejected) where answer == World.code:
        base.setSecondStep(of: "alice", to: nil)
        defer { base.setSecondStep(of: "alice", to: World.code) }
        if let grant = try? await base.authenticate(World.alice, limits: .standard) { return grant }
      case (.unavailableEndsTheChallenge, .unavailable): base.end(challenge.token, .revoked)
      default: break
      }
      throw error
    }
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    if flaw == .confirmsOnce, !notes.withLock({ $0.confirmed.insert(token).inserted }) {
      throw .rejected(.superseded)
    }
    notes.withLock { _ = $0.confirmed.insert(token) }
    if flaw == .neverSupersedes { return }
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let isFirst = notes.withLock { $0.revoked.insert(token).inserted }
    switch flaw {
    case .revokeDoesNothing, .revokesOneTokenOnly, .renewRecreates: return
    case .revokesTwiceFails where !isFirst: throw Unavailability(.unreadable, "it is gone already")
    case .revokesEverything: for token in base.liveTokens { base.end(token, reason) }
    default: try await base.revoke(token, reason: reason)
    }
  }

  // MARK: Defects

  private func grant(of token: SessionToken) -> Grant? {
    notes.withLock { notes in notes.all.last { $0.token == token } }
  }

  private func isUnconfirmed(_ token: SessionToken) -> Bool {
    notes.withLock { !$0.confirmed.contains(token) }
  }

  private func twisted(_ failure: AuthorityError<SessionRejection>) -> AuthorityError<SessionRejection> {
    switch (flaw, failure) {
    case (.unknownTokenIsUnavailable, .rejected): .unavailable(Unavailability(.unreadable, "no such token"))
    case (.rejectsWhenUnavailable, .unavailable): .rejected(.ended(.revoked))
    default: failure
    }
  }

  private func bent(_ grant: Grant, _ request: LimitRequest) -> Grant {
    let limits: SessionLimits
    switch (flaw, grant.limits.absolute) {
    case (.limitsMissing, _): limits = SessionLimits(idle: grant.limits.idle, absolute: .unknown, fresh: .never)
    case (.lengthens, .at(let absolute)):
      let more = request.absolute.map { $0 - .seconds(28_800) } ?? .zero
      limits = SessionLimits(
        idle: grant.limits.idle, absolute: .at(absolute.advanced(by: max(.zero, more))), fresh: grant.limits.fresh)
    default: limits = grant.limits
    }
    let accessToken = accessToken(of: grant)
    return Grant(id: name(of: grant), user: grant.user, token: grant.token, limits: limits, accessToken: accessToken)
  }

  private func accessToken(of grant: Grant) -> AccessToken? {
    guard let token = grant.accessToken else { return nil }
    switch flaw {
    case .accessTokensWithoutEnd: return AccessToken(token.value, deadline: .unknown)
    case .accessTokensOnlyAtLogin: return notes.withLock { $0.names[grant.id] } == nil ? token : nil
    case .repeatsAccessTokens: return AccessToken("access of \(grant.user.username)", deadline: token.deadline)
    default: return token
    }
  }

  private func name(of grant: Grant) -> SessionID {
    let live = base.liveTokens.count
    return notes.withLock { notes in
      if let name = notes.names[grant.id] { return name }
      notes.sessions[grant.user.id, default: 0] += 1
      switch flaw {
      case .numbersSessionsPerUser: notes.names[grant.id] = SessionID(rawValue: "\(notes.sessions[grant.user.id] ?? 0)")
      case .reusesNamesOfEndedSessions: notes.names[grant.id] = SessionID(rawValue: "\(grant.user.username) \(live)")
      default: notes.names[grant.id] = grant.id
      }
      return notes.names[grant.id] ?? grant.id
    }
  }
}

extension Grant {
  fileprivate var ofAnotherUser: Grant {
    let other = User(id: UserID(rawValue: "other"), username: "other", displayName: "Other", role: .member)
    return Grant(id: id, user: other, token: token, limits: limits)
  }
}
