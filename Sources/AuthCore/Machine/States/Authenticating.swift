/// Nobody is logged in yet: the authority has been asked about credentials, or its grant is being kept.
public struct Authenticating: AnsweringState, Hashable, Sendable {
  /// The epoch of the work under way.
  public let epoch: Epoch
  /// The grant that is being kept; nil while the authority has not answered.
  public var saving: SessionRecord?
  /// Where a failure leads back to.
  public let from: Origin

  /// The states that a login may start from, with what they must not lose.
  public enum Origin: Hashable, Sendable {
    /// It was not known whether a session stands.
    case restoring(RestoreFailure?, LogoutReason)
    /// It was known that none does.
    case loggedOut(LoggedOut)
  }

  var permitted: SessionCommands { [.logOut] }

  func react(to event: SessionEvent, _ turn: inout Turn) -> Reaction {
    switch event {
    case .restore, .logIn, .switchUser, .reauthenticate:
      return reject(.alreadyInProgress)
    case .renew, .check:
      return reject(.notLoggedIn)
    case .logOut:
      // Also while a grant is being kept: if that fails, the vault still holds what was there before. The grant itself is given back when
      // its write comes back.
      return turn.clear(unfinished, sweeping: true, .userAsked, revoking: true)
    case .restored:
      return .ignored(.otherEpoch)
    case .authenticated(let epoch, let outcome):
      guard epoch == self.epoch, saving == nil else { return .fence(outcome) }
      return conclude(outcome, &turn)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(let epoch, let record, let outcome):
      guard epoch == self.epoch, isSaving(record) else { return .fence(record, outcome) }
      return conclude(record, outcome, &turn)
    case .drained, .revoked, .erased, .timedOut:
      return .ignored(.otherEpoch)
    case .limitReached, .ended:
      return .ignored(.otherSession)
    }
  }

  private func conclude(_ outcome: SessionEvent.Authenticated, _ turn: inout Turn) -> Reaction {
    switch outcome {
    case .granted(let record):
      let epoch = turn.nextEpoch()
      return turn.move(
        .authenticating(Authenticating(epoch: epoch, saving: record, from: from)), Effects(.save(epoch, record)))
    case .failed:
      return turn.move(origin, Effects(.notify))
    }
  }

  private func conclude(
    _ record: SessionRecord, _ outcome: SessionEvent.Saved, _ turn: inout Turn
  ) -> Reaction {
    switch outcome {
    case .done: turn.move(.loggedIn(LoggedIn(session: record)), Effects(.notify))
    case .failed, .superseded: turn.move(origin, Effects(.discard(record), .notify))
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
      .restoring(Restoring(obstacle: obstacle, previously: previously))
    case .loggedOut(let state): .loggedOut(state)
    }
  }
}

extension Turn {
  /// Starts an authentication.
  mutating func authenticate(from origin: Authenticating.Origin) -> Reaction {
    let epoch = nextEpoch()
    return move(
      .authenticating(Authenticating(epoch: epoch, from: origin)), Effects(.authenticate(epoch), .notify))
  }
}
