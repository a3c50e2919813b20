/// A session is active, and no work on it is under way.
package struct LoggedIn: AnsweringState, Hashable, Sendable {
  /// The session; the store makes keys from it.
  package let session: SessionRecord
  /// The renewals begun in this window.
  package let renewals: RenewalBudget
  /// What remains to clean up of the session that this one replaced.
  package let predecessor: IncompleteCleanup

  var permitted: CommandSet { [.switchUser, .reauthenticate, .renew, .check, .logOut] }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore, .logIn:
      return reject(.alreadyLoggedIn)
    case .switchUser:
      let epoch = context.nextEpoch()
      return renew(.switchUser, epoch, renewals, .authenticate(epoch), &context)
    case .reauthenticate:
      let epoch = context.nextEpoch()
      return renew(.password, epoch, renewals, .reauthenticate(epoch, session), &context)
    case .renew(let now):
      guard let renewals = renewals.spending(at: now, under: context.policy) else {
        // A policy without renewals relies on none.
        return reject(renewals.isNoted || context.policy.limit == 0 ? .renewedRecently : .renewalsFailed)
      }
      let epoch = context.nextEpoch()
      return renew(.activity, epoch, renewals, .renew(epoch, session), &context)
    case .check:
      let epoch = context.nextEpoch()
      return renew(.check, epoch, renewals, .read(epoch), &context)
    case .answer, .cancel:
      return reject(.challengeOver)
    case .logOut:
      return context.end(session, .userAsked, revoking: true)
    case .restored:
      return .ignored(.otherEpoch)
    case .authenticated(_, let outcome):
      return .fence(outcome)
    case .renewed(_, let outcome):
      return .fence(outcome, during: session)
    case .saved(_, let record, let outcome):
      return .fence(record, outcome)
    case .drained, .revoked, .erased, .timedOut:
      return .ignored(.otherEpoch)
    case .limitReached(let record, let limit):
      guard record == session else { return .ignored(.otherSession) }
      return context.end(session, limit.reason, revoking: true)
    case .ended(let began, let reason):
      guard began == session.began else { return .ignored(.otherSession) }
      return context.end(session, reason, revoking: false)
    }
  }

  private func renew(
    _ purpose: Renewing.Purpose, _ epoch: Epoch, _ renewals: RenewalBudget, _ effect: Effect,
    _ context: inout TransitionContext
  ) -> Reaction {
    context.move(
      .renewing(Renewing(session: session, purpose: purpose, epoch: epoch, step: .asking, renewals: renewals)),
      Effects(effect, .notify))
  }
}
