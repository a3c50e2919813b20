import AuthCore
import AuthCoreTesting
import ConcurrencyKit

/// An authority that breaks one rule.
final class BrokenAuthority: Authority {
  enum Flaw: CaseIterable {
    case grantsAnotherUser, repeatsTokens, acceptsAnyPassword, tellsUnknownNames, unknownTokenIsUnavailable
    case revokeDoesNothing, revokesTwiceFails, revokesEverything, renewRecreates, refusalEndsTheSession
    case acceptsAnyAccountsPassword, exchangesAtOnce, neverSupersedes, confirmsOnce, useDoesNotConfirm
    case renewExchangesAtOnce, revokesOneTokenOnly, limitsMissing, lengthens, ignoresRequests, resumeIsActivity
    case renewIsNoActivity, renewMovesAbsolute, neverExpires, rejectsWhenUnavailable, losesLogins
    case renewsAnotherUser, forgetsRequests, resumesAnotherUser, resumeExchanges
    case endsSuperseded, revokesOnlyByConfirmedTokens, ignoresRequestsOfReauthenticate
    case numbersSessionsPerUser, reusesNamesOfEndedSessions
    case skipsSecondStep, challengesWrongPasswords, wrongAnswersAreFree, rightAnswersAlwaysOpen
    case refusalIsActivity, challengeIsActivity
    case challengeEndsTheSession, unavailableEndsTheChallenge, renewalEndsTheChallenges
    case accessTokensWithoutEnd, accessTokensOnlyAtLogin, repeatsAccessTokens
    case spendsTheNewToken, supersedesTheNewestToken, recoversWithoutAnswer, questionEndsTheSession
    case takesForeignTokens
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
    var grants: [Grant] = []
    var confirmed: Set<SessionToken> = []
    var revoked: Set<SessionToken> = []
    /// The name of each session.
    var names: [SessionID: SessionID] = [:]

    /// Whether the token was issued in exchange for another one of its session.
    func isSuccessor(_ token: SessionToken) -> Bool {
      guard let grant = grants.last(where: { $0.token == token }) else { return false }
      return grants.first { $0.id == grant.id }?.token != token
    }
  }

  func notHere(_ token: SessionToken) -> Unavailability? {
    flaw == .takesForeignTokens ? nil : base.notHere(token)
  }

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    var credentials = credentials
    let earlier = notes.withLock { $0.grants }
    switch flaw {
    case .grantsAnotherUser: if credentials == World.alice { credentials = World.bob }
    case .acceptsAnyPassword where credentials.username == "alice": credentials = World.alice
    case .tellsUnknownNames where credentials.username.hasPrefix("nobody"):
      throw .unavailable(Unavailability(.unreadable, "no such name"))
    case .repeatsTokens,
      .losesLogins where earlier.count >= 4:
      if let last = earlier.last { return .granted(last) }
    default: break
    }
    do throws(AuthorityError<CredentialsRejection>) {
      let result = try await base.authenticate(credentials, limits: flaw == .ignoresRequests ? .standard : limits)
      guard case .challenged(let challenge) = result else { return bent(result, limits) }
      guard flaw == .skipsSecondStep else { return result }
      return (try? await base.answer(challenge, with: World.code)).map { bent($0, limits) } ?? result
    } catch {
      guard flaw == .challengesWrongPasswords, error == .rejected(.notAccepted) else { throw error }
      return .challenged(
        Challenge(token: SessionToken(bytes: [1]), question: .code(digits: 6), triesLeft: 1, deadline: .never))
    }
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    let isRevoked = notes.withLock { $0.revoked.contains(token) }
    if flaw == .revokesOneTokenOnly || flaw == .renewRecreates, isRevoked { throw .rejected(.ended(.revoked)) }
    let isAccepted =
      switch flaw {
      case .neverSupersedes, .neverExpires: !isRevoked
      case .useDoesNotConfirm: notes.withLock { !$0.confirmed.contains(token) }
      default: false
      }
    if isAccepted, let grant = grant(of: token) { return grant }
    do throws(AuthorityError<SessionRejection>) {
      if flaw == .resumeIsActivity { return try await base.renew(token) }
      return bent(try await base.resume(token), by: .resume)
    } catch {
      if flaw == .questionEndsTheSession, exchange == .spendsOld, error == .rejected(.superseded) {
        base.liveTokens.forEach { base.end($0, .revoked) }
      }
      throw twisted(error)
    }
  }

  var exchange: TokenExchange { base.exchange }

  func recover(
    _ token: SessionToken, _ interrupted: InterruptedExchange
  ) throws(AuthorityError<SessionRejection>) -> Grant? {
    flaw == .recoversWithoutAnswer ? grant(of: token) : try base.recover(token, interrupted)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    if flaw == .renewRecreates, notes.withLock({ $0.revoked.remove(token) }) != nil, let grant = grant(of: token) {
      return grant
    }
    if flaw == .renewIsNoActivity { return try await resume(token) }
    do throws(AuthorityError<SessionRejection>) {
      let grant = try await base.renew(token)
      if flaw == .renewalEndsTheChallenges { base.openChallenges.forEach { base.end($0, .revoked) } }
      if flaw == .renewExchangesAtOnce { try await base.confirm(grant.token) }
      if flaw == .spendsTheNewToken, exchange == .spendsOld { base.end(grant.token, .revoked) }
      return bent(grant, by: .renew)
    } catch {
      throw twisted(error)
    }
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    var (credentials, asked) = (credentials, limits)
    if flaw == .acceptsAnyAccountsPassword, credentials == World.bob { credentials = World.alice }
    if flaw == .forgetsRequests { asked = LimitRequest(idle: .seconds(1 << 40), absolute: .seconds(1 << 40)) }
    if flaw == .ignoresRequestsOfReauthenticate { asked = .standard }
    do throws(AuthorityError<ReauthenticationRejection>) {
      let result = bent(try await base.reauthenticate(token, with: credentials, limits: asked), limits)
      switch (flaw, result) {
      case (.challengeEndsTheSession, .challenged): base.end(token, .revoked)
      case (.challengeIsActivity, .challenged): _ = try? await base.renew(token)
      case (.exchangesAtOnce, .granted(let grant)): _ = try? await base.confirm(grant.token)
      default: break
      }
      return result
    } catch {
      switch (flaw, error) {
      case (.refusalEndsTheSession, .rejected(.notAccepted)): base.end(token, .revoked)
      case (.refusalIsActivity, .rejected(.notAccepted)): _ = try? await base.renew(token)
      case (.rejectsWhenUnavailable, .unavailable): throw .rejected(.session(.ended(.revoked)))
      default: break
      }
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
    let isFirst = notes.withLock { $0.confirmed.insert(token).inserted }
    if flaw == .confirmsOnce, !isFirst { throw .rejected(.superseded) }
    if flaw != .neverSupersedes { try await base.confirm(token) }
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    let isFirst = notes.withLock { $0.revoked.insert(token).inserted }
    switch flaw {
    case .revokeDoesNothing, .revokesOneTokenOnly, .renewRecreates: return
    case .revokesOnlyByConfirmedTokens where notes.withLock({ $0.isSuccessor(token) && !$0.confirmed.contains(token) }):
      return
    case .revokesTwiceFails where !isFirst: throw Unavailability(.unreadable, "it is gone already")
    case .revokesEverything: for token in base.liveTokens { base.end(token, reason) }
    default: try await base.revoke(token, reason: reason)
    }
  }

  // MARK: Defects

  private func grant(of token: SessionToken) -> Grant? {
    notes.withLock { notes in notes.grants.last { $0.token == token } }
  }

  private func twisted(_ failure: AuthorityError<SessionRejection>) -> AuthorityError<SessionRejection> {
    switch (flaw, failure) {
    case (.unknownTokenIsUnavailable, .rejected): .unavailable(Unavailability(.unreadable, "no such token"))
    case (.rejectsWhenUnavailable, .unavailable): .rejected(.ended(.revoked))
    case (.endsSuperseded, .rejected(.superseded)): .rejected(.ended(.revoked))
    case (.supersedesTheNewestToken, .rejected) where exchange == .spendsOld: .rejected(.superseded)
    default: failure
    }
  }

  /// The result with the defects of a grant, which it notes.
  private func bent(_ result: Authentication, _ request: LimitRequest) -> Authentication {
    guard case .granted(let grant) = result else { return result }
    let bent = bent(grant, by: .authenticate, request)
    notes.withLock { $0.grants.append(bent) }
    return .granted(bent)
  }

  private func bent(
    _ grant: Grant, by operation: ScriptedAuthority.Operation, _ request: LimitRequest = .standard
  ) -> Grant {
    var (user, token, limits, access) = (grant.user, grant.token, grant.limits, grant.accessToken)
    switch (flaw, operation, limits.idle, limits.absolute) {
    case (.resumesAnotherUser, .resume, _, _), (.renewsAnotherUser, .renew, _, _):
      user = User(id: UserID(rawValue: "other"), username: "other", displayName: "Other", role: .member)
    case (.resumeExchanges, .resume, _, _): token = SessionToken(bytes: token.bytes + [1])
    case (.limitsMissing, _, let idle, _): limits = SessionLimits(idle: idle, absolute: .unknown, fresh: .never)
    case (.renewMovesAbsolute, .renew, .at(let idle), _):
      limits = SessionLimits(idle: .at(idle), absolute: .at(idle.advanced(by: .seconds(1))), fresh: limits.fresh)
    case (.lengthens, _, let idle, .at(let absolute)):
      let more = request.absolute.map { max(.zero, $0 - .seconds(28_800)) } ?? .zero
      limits = SessionLimits(idle: idle, absolute: .at(absolute.advanced(by: more)), fresh: limits.fresh)
    case (.accessTokensWithoutEnd, _, _, _): access = access.map { AccessToken($0.value, deadline: .unknown) }
    case (.accessTokensOnlyAtLogin, _, _, _): if notes.withLock({ $0.names[grant.id] }) != nil { access = nil }
    case (.repeatsAccessTokens, _, _, _):
      access = access.map { AccessToken("access of \(user.username)", deadline: $0.deadline) }
    default: break
    }
    return Grant(id: name(of: grant), user: user, token: token, limits: limits, accessToken: access)
  }

  private func name(of grant: Grant) -> SessionID {
    let live = base.liveTokens.count
    return notes.withLock { notes in
      if let name = notes.names[grant.id] { return name }
      let name =
        switch flaw {
        case .numbersSessionsPerUser: SessionID(rawValue: "\(notes.grants.count { $0.user.id == grant.user.id })")
        case .reusesNamesOfEndedSessions: SessionID(rawValue: "\(grant.user.username) \(live)")
        default: grant.id
        }
      notes.names[grant.id] = name
      return name
    }
  }
}
