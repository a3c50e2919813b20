/// A session is active and usable, and one operation on it is under way.
package struct Renewing: AnsweringState, Hashable, Sendable {
  /// The session; the store creates keys from it.
  package let session: SessionRecord
  /// The purpose of the work.
  package let purpose: Purpose
  /// The epoch of the step under way.
  package private(set) var epoch: Epoch
  /// The step under way.
  package private(set) var step: Progress

  /// The purpose of the work.
  package enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// Activity, which moves the idle limit.
    case activity
    /// A check of the vault and the authority, which moves no limit.
    case check
    /// A check of the password, entered again.
    case password
    /// A switch to another user.
    case switchUser
  }

  /// The steps of the work.
  package enum Progress: Hashable, Sendable {
    /// Waiting for the authority.
    case asking
    /// Saving the grant of this session, or of the one that replaces it, in the vault.
    case saving(SessionRecord)
    /// Reading the vault again, because another process changed it first.
    case rereading
  }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .command(.restore, _), .command(.logIn, _):
      return .rejected(.alreadyLoggedIn)
    case .command(.session(.renew), _) where purpose == .activity:
      return .transition([])
    case .command(.session(let command), _):
      // Only one authentication may be under way. For other work, the caller waits. A check does
      // not join one under way, which may have read the vault before the change that this caller is
      // looking for.
      let isAuthenticating = purpose == .password || purpose == .switchUser
      return .rejected(command.authenticates && isAuthenticating ? .alreadyInProgress : .renewalInProgress)
    case .command(.answer, _), .command(.cancel, _):
      return .rejected(.challengeOver)
    case .command(.logOut, _):
      return context.end(session, .userAsked, revoking: true, pending: pending)
    case .restored(let epoch, let outcome):
      guard epoch == self.epoch, step == .rereading || step == .asking && purpose == .check else {
        return .stale(event)
      }
      return conclude(outcome, &context)
    case .authenticated(let epoch, let outcome):
      guard epoch == self.epoch, step == .asking, purpose == .switchUser else { return .stale(event) }
      return conclude(outcome, &context)
    case .renewed(let epoch, let outcome):
      guard epoch == self.epoch, step == .asking, purpose == .activity || purpose == .password else {
        return .stale(event, during: session)
      }
      return conclude(outcome, &context)
    case .saved(let epoch, _, let outcome):
      guard epoch == self.epoch, case .saving(let record) = step else { return .stale(event) }
      return conclude(record, outcome, &context)
    case .recognized, .drained, .revoked, .erased, .timedOut:
      return .stale(event)
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return context.end(session, reason, revoking: true, pending: pending)
    case .ended(let began, let reason):
      guard began == session.began else { return .stale(event) }
      return context.end(session, reason, revoking: pending != nil, pending: pending)
    }
  }

  /// The token that may be in the vault in place of the session's.
  private var pending: SessionToken? {
    if case .saving(let record) = step { record.grant.token } else { nil }
  }

  // MARK: Results of the work

  private func conclude(_ outcome: SessionEvent.Restored, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .found(let grant) where grant.isOfSameSession(as: session.grant):
      goOn(session.continued(by: grant), &context)
    case .found(let grant):
      context.end(session, .switchedUser, revoking: true, successor: SessionRecord(grant, began: epoch))
    case .absent:
      context.end(session, .userAsked, revoking: true)
    case .ended(let reason, let token):
      context.end(
        session, reason, revoking: token != session.grant.token,
        pending: token == session.grant.token ? nil : token)
    case .obstructed:
      goOn(session, &context)
    }
  }

  func conclude(_ outcome: SessionEvent.Authenticated, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .granted(let grant): save(SessionRecord(grant, began: epoch), &context)
    case .challenged(let challenge): context.ask(challenge, .session(session, purpose))
    case .failed: goOn(session, &context)
    }
  }

  func conclude(_ outcome: SessionEvent.Renewed, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .granted(let grant) where grant.token == session.grant.token: goOn(session.continued(by: grant), &context)
    case .granted(let grant): save(session.continued(by: grant), &context)
    case .challenged(let challenge): context.ask(challenge, .session(session, purpose))
    case .ended(let reason): context.end(session, reason, revoking: false)
    case .superseded: reread(&context)
    case .failed: goOn(session, &context)
    }
  }

  private func conclude(
    _ record: SessionRecord, _ outcome: SessionEvent.Saved, _ context: inout TransitionContext
  ) -> Reaction {
    let isSwitch = purpose == .switchUser
    switch outcome {
    case .done where isSwitch:
      return context.end(session, .switchedUser, revoking: true, successor: record)
    case .done:
      let session = session.continued(by: record.grant)
      return goOn(session, &context, [.confirm(session)])
    case .failed:
      // The new token of this session was never confirmed, so the token in the vault still works:
      // memory agrees with the vault.
      return goOn(session, &context, isSwitch ? [.discard(record.grant.token)] : [])
    case .superseded:
      return reread(&context, isSwitch ? [.discard(record.grant.token)] : [])
    }
  }

  private func goOn(
    _ record: SessionRecord, _ context: inout TransitionContext, _ effects: [Effect] = []
  ) -> Reaction {
    context.move(.loggedIn(LoggedIn(session: record)), effects + [.notify])
  }

  private func save(_ record: SessionRecord, _ context: inout TransitionContext) -> Reaction {
    let next = advanced(to: .saving(record), &context)
    return context.move(
      .renewing(next), [.exchange(next.epoch, old: session.grant.token, new: record.grant)])
  }

  private func reread(_ context: inout TransitionContext, _ effects: [Effect] = []) -> Reaction {
    let next = advanced(to: .rereading, &context)
    return context.move(.renewing(next), effects + [.read(next.epoch)])
  }

  private func advanced(to step: Progress, _ context: inout TransitionContext) -> Renewing {
    var next = self
    (next.epoch, next.step) = (context.nextEpoch(), step)
    return next
  }
}
