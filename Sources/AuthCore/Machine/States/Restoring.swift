/// The state at launch: the vault has not answered yet, or could not answer.
///
/// A login is permitted. This is not "logged out".
package struct Restoring: AnsweringState, Hashable, Sendable {
  /// The epoch of the read under way; nil before the first one and after a failed one.
  package let reading: Epoch?
  /// Why the last read failed.
  package let obstacle: RestoreFailure?
  /// Why nobody was logged in before this read, if known.
  package let previously: LogoutReason
  /// The user of the token in the vault, for display, if a read found one.
  package let lastKnown: LastKnownUser?

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .command(.restore, _):
      // Joins the read under way.
      guard reading == nil else { return .transition([]) }
      let epoch = context.nextEpoch()
      return context.move(
        .restoring(Restoring(reading: epoch, obstacle: obstacle, previously: previously, lastKnown: lastKnown)),
        [.read(epoch), .notify])
    case .command(.logIn, _):
      return context.authenticate(from: .restoring(obstacle, previously, lastKnown))
    case .command(.session, _):
      return .rejected(.notLoggedIn)
    case .command(.answer, _), .command(.cancel, _):
      return .rejected(.challengeOver)
    case .command(.logOut, _):
      return context.clear(nil, sweeping: true, .userAsked, revoking: true)
    case .recognized(let epoch, let user):
      guard epoch == reading else { return .stale(event) }
      return context.move(
        .restoring(Restoring(reading: reading, obstacle: obstacle, previously: previously, lastKnown: user)), [.notify])
    case .restored(let epoch, let outcome):
      guard epoch == reading else { return .stale(event) }
      return conclude(outcome, epoch, &context)
    case .authenticated, .renewed, .saved, .drained, .revoked, .erased, .timedOut, .limitReached, .ended:
      return .stale(event)
    }
  }

  private func conclude(
    _ outcome: SessionEvent.Restored, _ epoch: Epoch, _ context: inout TransitionContext
  ) -> Reaction {
    switch outcome {
    case .found(let grant):
      context.move(.loggedIn(LoggedIn(session: SessionRecord(grant, began: epoch))), [.notify])
    case .absent:
      context.move(.loggedOut(LoggedOut(reason: previously)), [.notify])
    case .ended(let reason, let token):
      context.clear(Effect.Targets(token), sweeping: false, reason, revoking: false)
    case .obstructed(let obstacle):
      context.move(
        .restoring(Restoring(reading: nil, obstacle: obstacle, previously: previously, lastKnown: lastKnown)),
        [.notify])
    }
  }
}
