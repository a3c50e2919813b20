/// A session is active, and no work on it is under way.
package struct LoggedIn: AnsweringState, Hashable, Sendable {
  /// The session; the store creates keys from it.
  package let session: SessionRecord
  /// What remains to clean up of the session that this one replaced.
  package var predecessor = IncompleteCleanup.none

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .command(.restore, _), .command(.logIn, _):
      return .rejected(.alreadyLoggedIn)
    case .command(.session(.switchUser), _):
      return begin(.switchUser, &context) { .authenticate($0) }
    case .command(.session(.reauthenticate), _):
      return begin(.password, &context) { .reauthenticate($0, session) }
    case .command(.session(.renew), _):
      return begin(.activity, &context) { .renew($0, session) }
    case .command(.session(.check), _):
      return begin(.check, &context) { .read($0) }
    case .command(.answer, _), .command(.cancel, _):
      return .rejected(.challengeOver)
    case .command(.logOut, _):
      return context.end(session, .userAsked, revoking: true)
    case .recognized, .restored, .authenticated, .renewed, .saved, .drained, .revoked, .erased, .timedOut:
      return .stale(event, during: session)
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return context.end(session, reason, revoking: true)
    case .ended(let began, let reason):
      guard began == session.began else { return .stale(event) }
      return context.end(session, reason, revoking: false)
    }
  }

  private func begin(
    _ purpose: Renewing.Purpose, _ context: inout TransitionContext, _ effect: (Epoch) -> Effect
  ) -> Reaction {
    let epoch = context.nextEpoch()
    return context.move(
      .renewing(Renewing(session: session, purpose: purpose, epoch: epoch, step: .asking)), [effect(epoch), .notify])
  }
}
