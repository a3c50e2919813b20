/// Launch: the vault has not answered, or could not.
///
/// A login is permitted; nothing says that anybody is logged out.
public struct Restoring: AnsweringState, Hashable, Sendable {
  /// The epoch of the reading under way; nil before the first, and after one that could not find out.
  public var reading: Epoch?
  /// Why the last reading could not find out.
  public var obstacle: RestoreFailure?
  /// Why nobody was logged in before this reading, where that was known.
  public var previously: LogoutReason = .neverLoggedIn

  var permitted: SessionCommands { [.restore, .logIn, .logOut] }

  func react(to event: SessionEvent, _ turn: inout Turn) -> Reaction {
    switch event {
    case .restore:
      guard reading == nil else { return turn.join() }
      let epoch = turn.nextEpoch()
      return turn.move(
        .restoring(Restoring(reading: epoch, obstacle: obstacle, previously: previously)),
        Effects(.read(epoch), .notify))
    case .logIn:
      return turn.authenticate(from: .restoring(obstacle, previously))
    case .switchUser, .reauthenticate, .renew, .check:
      return reject(.notLoggedIn)
    case .logOut:
      return turn.clear(nil, sweeping: true, .userAsked, revoking: true)
    case .restored(let epoch, let outcome):
      guard epoch == reading else { return .ignored(.otherEpoch) }
      return conclude(outcome, &turn)
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

  private func conclude(_ outcome: SessionEvent.Restored, _ turn: inout Turn) -> Reaction {
    switch outcome {
    case .found(let record):
      turn.move(.loggedIn(LoggedIn(session: record)), Effects(.notify))
    case .absent:
      turn.move(.loggedOut(LoggedOut(reason: previously)), Effects(.notify))
    case .ended(let reason, let token):
      turn.clear(Effect.Targets(token), sweeping: false, reason, revoking: false)
    case .obstructed(let obstacle):
      turn.move(.restoring(Restoring(obstacle: obstacle, previously: previously)), Effects(.notify))
    }
  }
}
