/// Nobody is logged in yet: the authority has been asked about credentials, or its grant is being kept.
package struct Authenticating: AnsweringState, Hashable, Sendable {
  /// The epoch of the work under way.
  package let epoch: Epoch
  /// The grant that is being kept; nil while the authority has not answered.
  package let saving: SessionRecord?
  /// Where a failure leads back to.
  package let from: Origin

  /// The states that a login may start from, with what they must not lose.
  package enum Origin: Hashable, Sendable {
    /// It was not known whether a session stands.
    case restoring(RestoreFailure?, LogoutReason)
    /// It was known that none does.
    case loggedOut(LoggedOut)
  }

  var permitted: CommandSet { [.logOut] }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore, .logIn, .switchUser, .reauthenticate:
      return reject(.alreadyInProgress)
    case .renew, .check:
      return reject(.notLoggedIn)
    case .logOut:
      // Also while a grant is being kept: if that fails, the vault still holds what was there before. The grant itself is given back when
      // its write comes back.
      return context.clear(unfinished, sweeping: true, .userAsked, revoking: true)
    case .restored:
      return .ignored(.otherEpoch)
    case .authenticated(let epoch, let outcome):
      guard epoch == self.epoch, saving == nil else { return .fence(outcome) }
      return conclude(outcome, &context)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(let epoch, let record, let outcome):
      guard epoch == self.epoch, isSaving(record) else { return .fence(record, outcome) }
      return conclude(record, outcome, &context)
    case .drained, .revoked, .erased, .timedOut:
      return .ignored(.otherEpoch)
    case .limitReached, .ended:
      return .ignored(.otherSession)
    }
  }

  private func conclude(_ outcome: SessionEvent.Authenticated, _ context: inout TransitionContext) -> Reaction {
    switch outcome {
    case .granted(let record):
      let epoch = context.nextEpoch()
      return context.move(
        .authenticating(Authenticating(epoch: epoch, saving: record, from: from)), Effects(.save(epoch, record)))
    case .failed:
      return context.move(origin, Effects(.notify))
    }
  }

  private func conclude(
    _ record: SessionRecord, _ outcome: SessionEvent.Saved, _ context: inout TransitionContext
  ) -> Reaction {
    switch outcome {
    case .done:
      context.move(
        .loggedIn(LoggedIn(session: record, renewals: RenewalBudget(), predecessor: .none)), Effects(.notify))
    case .failed, .superseded: context.move(origin, Effects(.discard(record), .notify))
    }
  }

  private func isSaving(_ record: SessionRecord) -> Bool {
    switch saving {
    case .some(let kept): kept == record
    case .none: false
    }
  }

  /// What a logout before this login could not finish.
  private var unfinished: Effect.Targets? {
    switch from {
    case .restoring: nil
    case .loggedOut(let state): state.isUnfinished ? state.targets : nil
    }
  }

  private var origin: SessionState {
    switch from {
    case .restoring(let obstacle, let previously):
      .restoring(Restoring(reading: nil, obstacle: obstacle, previously: previously))
    case .loggedOut(let state): .loggedOut(state)
    }
  }
}

extension TransitionContext {
  /// Starts an authentication.
  mutating func authenticate(from origin: Authenticating.Origin) -> Reaction {
    let epoch = nextEpoch()
    return move(
      .authenticating(Authenticating(epoch: epoch, saving: nil, from: origin)), Effects(.authenticate(epoch), .notify))
  }
}
