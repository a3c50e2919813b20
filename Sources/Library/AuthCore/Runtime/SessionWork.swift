import ConcurrencyKit
import Guards

/// The input of a caller for an authentication that is about to start.
enum Submitted: Sendable {
  case credentials(Credentials, LimitRequest)
  /// The answer to a reauthentication, which the caller has already received.
  case grant(Grant)
  case answer(Secret)
}

extension SessionCore {
  /// Does one effect.
  ///
  /// Work is an unstructured task, which outlives its caller. On the calling thread (see
  /// ``WorkExecutor``) it starts immediately, and work that never suspends is done when this
  /// returns.
  ///
  /// The limit of a step begins first, because an authority or a vault may block this thread. If
  /// the store does not watch limits, the limit begins only if the step did not end immediately, so
  /// that a short process needs no timers.
  func run(_ effect: Effect, _ ticket: VaultQueueTicket?, _ submitted: Submitted?) {
    // The step that decided these has done them.
    if case .notify = effect { return }
    if case .closeKeys = effect { return }
    if let epoch = effect.epoch, effect.asks, !mayAsk(epoch) {
      if let event = effect.overdue(leases: 0) { send(event, failure: .unavailable(.stuck)) }
      return
    }
    let end = Gatekeeper()
    if timing.watchesLimits { limit(effect, end) }
    start {
      await self.work(effect, ticket, submitted, end)
      if let epoch = effect.epoch { self.withLock { _ = $0.asking.remove(epoch) } }
    }
    if !timing.watchesLimits { limit(effect, end) }
  }

  /// Notes a request to the authority, unless many earlier ones have not returned.
  ///
  /// Each blocks a thread at an authority that blocks, also after the store has given it up.
  private func mayAsk(_ epoch: Epoch) -> Bool {
    withLock { inner in
      guard inner.asking.count < 8 else { return false }
      inner.asking.insert(epoch)
      return true
    }
  }

  private func work(
    _ effect: Effect, _ ticket: VaultQueueTicket?, _ submitted: Submitted?, _ end: Gatekeeper<Bool>
  ) async {
    switch effect {
    case .notify, .closeKeys: break
    case .discard(let token): await revoke(token, .userAsked)
    case .withdraw(let challenge): await revoke(challenge.token, .userAsked)
    case .read(let epoch): await read(epoch, ticket)
    case .authenticate(let epoch): report(epoch, nil, await authenticate(submitted))
    case .reauthenticate(let epoch, let record): report(epoch, record, await reauthenticate(record, submitted))
    case .answer(let epoch, let challenge, let record):
      report(epoch, record, await answer(challenge, record, submitted))
    case .renew(let epoch, let record): report(epoch, record, await renew(record))
    case .save(let epoch, let grant): await save(epoch, grant, insteadOf: nil, ticket, end)
    case .exchange(let epoch, let old, let new): await save(epoch, new, insteadOf: old, ticket, end)
    case .confirm(let record): await confirm(record)
    case .drain(let epoch): await drain(epoch)
    case .revoke(let epoch, let targets, let reason): await revoke(epoch, targets, reason)
    case .erase(let epoch, let targets): await erase(epoch, targets, ticket)
    case .forget(let epoch): await forget(epoch, ticket)
    case .discardSaved(let token): await discardSaved(token, ticket)
    }
  }

  /// Runs an operation on the vault after all earlier ones.
  func onVault<Result>(_ ticket: VaultQueueTicket?, _ operation: () async -> Result) async -> Result {
    let ticket = ticket ?? withLock { VaultQueueTicket(.change, &$0.lastVaultChange) }
    return await ticket.run(operation)
  }

  // MARK: Beginning and renewing

  /// What the authority answered, and the error for the caller if it granted nothing.
  typealias Answered = (answer: SessionEvent.Answer, failure: SessionError?)

  /// Reports an answer to a login, or to work on a session.
  private func report(_ epoch: Epoch, _ record: SessionRecord?, _ answered: Answered) {
    send(.answered(epoch, answered.answer), failure: answered.failure) { reaction, inner in
      guard record != nil, reaction.isTransition, case .granted = answered.answer else { return }
      (inner.renewals.isNoted, inner.accessRenewals.isNoted) = (true, true)
    }
  }

  private func authenticate(_ submitted: Submitted?) async -> Answered {
    let (credentials, limits) = credentials(submitted)
    // Before the login, which would begin a session that must not replace the saved one.
    if let cause = elsewhere(await vault.load()) { return (.failed, .unavailable(cause)) }
    do throws(AuthorityError<CredentialsRejection>) {
      return accepted(try await authority.authenticate(credentials, limits: limits), nil)
    } catch {
      if case .rejected(let rejection) = error { return (.failed, rejection.failure) }
      return (.failed, error.unchecked)
    }
  }

  private func reauthenticate(_ record: SessionRecord, _ submitted: Submitted?) async -> Answered {
    if case .grant(let grant) = submitted { return granted(grant, record) }
    let (credentials, limits) = credentials(submitted)
    return await onSession(record) { await self.reauthenticate(record, $0, credentials, limits) }
  }

  private func reauthenticate(
    _ record: SessionRecord, _ token: SessionToken, _ credentials: Credentials, _ limits: LimitRequest
  ) async -> Answered {
    do throws(AuthorityError<ReauthenticationRejection>) {
      return accepted(try await authority.reauthenticate(token, with: credentials, limits: limits), record)
    } catch {
      switch error {
      case .rejected(.session(let rejection)): return rejected(rejection, .overtaken)
      case .rejected(.loginRefused(let refusal)): return (.failed, .loginRefused(refusal))
      case .rejected(.notAccepted): return (.failed, .credentialsNotAccepted)
      case .throttled, .unavailable: return (.failed, error.unchecked)
      }
    }
  }

  private func credentials(_ submitted: Submitted?) -> (Credentials, LimitRequest) {
    guard case .credentials(let credentials, let limits) = submitted else {
      preconditionFailure("credentials come with the command that starts the authentication")
    }
    return (credentials, limits)
  }

  private func answer(
    _ challenge: Challenge, _ record: SessionRecord?, _ submitted: Submitted?
  ) async -> Answered {
    guard case .answer(let answer) = submitted else {
      preconditionFailure("the answer comes with the command that starts its check")
    }
    guard let record else { return await self.answer(challenge, nil, answer) }
    return await onSession(record) { _ in await self.answer(challenge, record, answer) }
  }

  /// Asks the authority about a session, under a lock if that can spend its token.
  private func onSession(_ record: SessionRecord, _ ask: (SessionToken) async -> Answered) async -> Answered {
    spendsTokens ? await askLocked(record, ask) : await ask(record.grant.token)
  }

  private func answer(_ challenge: Challenge, _ record: SessionRecord?, _ answer: Secret) async -> Answered {
    do throws(AuthorityError<ReauthenticationRejection>) {
      return accepted(try await authority.answer(challenge, with: answer), record)
    } catch {
      if case .rejected(.session(let rejection)) = error, record != nil { return rejected(rejection, .overtaken) }
      guard let failure = error.unchecked else { return (.failed, .rejected(.challengeOver)) }
      // The answer was not checked, so the challenge is unchanged.
      return (.challenged(challenge), failure)
    }
  }

  private func renew(_ record: SessionRecord) async -> Answered {
    if spendsTokens { return await renewLocked(record) }
    do throws(AuthorityError<SessionRejection>) {
      let answered = granted(try await authority.renew(record.grant.token), record)
      if case .granted(let grant) = answered.answer, grant.accessToken != nil, grant.token == record.grant.token {
        await saveAccessToken(grant)
      }
      return answered
    } catch {
      if case .rejected(let rejection) = error { return rejected(rejection, nil) }
      return (.failed, error.unchecked)
    }
  }

  private func accepted(_ answer: Authentication, _ record: SessionRecord?) -> Answered {
    switch answer {
    case .granted(let grant): granted(grant, record)
    case .challenged(let challenge): (.challenged(challenge), nil)
    }
  }

  /// Checks the grant of a new session, or of one that continues.
  func granted(_ grant: Grant, _ record: SessionRecord?) -> Answered {
    if let record, !grant.isOfSameSession(as: record.grant) {
      // The keys of one user never become keys of another.
      if grant.token != record.grant.token { revokeInBackground(grant.token, .revoked) }
      return (.failed, .unavailable(.otherSession))
    }
    guard !grant.token.bytes.isEmpty, grant.accessToken?.value.isEmpty != true else {
      return (.failed, .unavailable(.emptyToken))
    }
    guard let reason = grant.flaw(on: clock) else { return (.granted(grant), nil) }
    revokeInBackground(grant.token, reason)
    return (record == nil ? .failed : .ended(reason), .ended(reason))
  }

  private func rejected(_ rejection: SessionRejection, _ failure: SessionError?) -> Answered {
    switch rejection {
    case .ended(let reason): (.ended(reason), nil)
    case .superseded: (.superseded, failure)
    }
  }
}

extension Effect {
  /// Whether the effect asks the authority for a caller, who may try again after its limit.
  fileprivate var asks: Bool {
    switch self {
    case .read, .authenticate, .reauthenticate, .answer, .renew: true
    case .save, .exchange, .drain, .revoke, .erase, .forget, .confirm, .closeKeys, .discard, .discardSaved, .withdraw,
      .notify:
      false
    }
  }
}

extension Unavailability {
  fileprivate static let stuck = Unavailability(
    .busy, "The authority has not answered many earlier requests.", hint: "Try again in a minute.")
  /// An authority that throttles a token counts as busy, because a token is not a guess.
  static let throttled = Unavailability(
    .busy, "The authority asks to wait before it looks at the session.")
  static let otherSession = Unavailability(
    .unparsable, "The authority answered for another session.", hint: "Log in again if this goes on.")
  fileprivate static let emptyToken = Unavailability(
    .unparsable, "The authority granted an empty token.", hint: "Try again; nothing was changed.")
}
