/// The launch: the vault has not answered yet, or could not answer.
///
/// A login is permitted. The user does not count as logged out.
package struct Restoring: AnsweringState, Hashable, Sendable {
  /// The epoch of the reading under way; nil before the first one, and after a failed one.
  package let reading: Epoch?
  /// Why the last reading failed.
  package let obstacle: RestoreFailure?
  /// Why nobody was logged in before this reading, if known.
  package let previously: LogoutReason

  var permitted: CommandSet { [.restore, .logIn, .logOut] }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore:
      guard reading == nil else { return context.join() }
      let epoch = context.nextEpoch()
      return context.move(
        .restoring(Restoring(reading: epoch, obstacle: obstacle, previously: previously)),
        Effects(.read(epoch), .notify))
    case .logIn:
      return context.authenticate(from: .restoring(obstacle, previously))
    case .switchUser, .reauthenticate, .renew, .check:
      return reject(.notLoggedIn)
    case .answer, .cancel:
      return reject(.challengeOver)
    case .logOut:
      return context.clear(nil, sweeping: true, .userAsked, revoking: true)
    case .restored(let epoch, let outcome):
      guard epoch == reading else { return .ignored(.otherEpoch) }
      return conclude(outcome, &context)
    case .authenticated(_, let outcome):
      return .fence(outcome)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(_, let record, let outcome):
      return .fence(record, outcome)
    case .drained, .revoked, .erased, .timedOut:
      return .ignored(.otherEpoch)
    case .limitReached, .ended:
      return .ignored(.otherSession)
    }
  }

  private func conclude(_ outcome: SessionEvent.Restored, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .found(let record):
      context.move(
        .loggedIn(LoggedIn(session: record, renewals: RenewalBudget(), predecessor: .none)), Effects(.notify))
    case .absent:
      context.move(
        .loggedOut(LoggedOut(reason: previously, leftovers: .none, targets: nil, sweeping: false)), Effects(.notify))
    case .ended(let reason, let token):
      context.clear(Effect.Targets(token), sweeping: false, reason, revoking: false)
    case .obstructed(let obstacle):
      context.move(.restoring(Restoring(reading: nil, obstacle: obstacle, previously: previously)), Effects(.notify))
    }
  }
}
