/// Launch: the vault has not answered, or could not.
///
/// A login is permitted; nothing says that anybody is logged out.
public struct Restoring: Hashable, Sendable {
  /// The epoch of the reading under way; nil before the first, and after one that could not find out.
  public var reading: Epoch?
  /// Why the last reading could not find out.
  public var obstacle: Obstacle?
  /// Why nobody was logged in before this reading, where that was known.
  public var previously: LogoutReason = .neverLoggedIn

  static let permitted: SessionCommands = [.restore, .logIn, .logOut]

  func react(to event: SessionEvent, _ epochs: inout EpochCounter) -> Step {
    switch event {
    case .restore:
      guard reading == nil else { return .join }
      let epoch = epochs.next()
      return .move(
        .restoring(Restoring(reading: epoch, obstacle: obstacle, previously: previously)),
        Effects(.read(epoch), .notify))
    case .logIn:
      return .authenticate(from: .restoring(obstacle, previously), &epochs)
    case .switchUser, .reauthenticate, .renew, .check:
      return .reject(.notLoggedIn)
    case .logOut:
      return .clear(nil, sweeping: true, .userAsked, revoking: true, &epochs)
    case .restored(let epoch, let outcome):
      guard epoch == reading else { return .ignore(.otherEpoch) }
      return conclude(outcome, &epochs)
    case .authenticated(_, let outcome):
      return .fence(outcome)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(_, let record, let outcome):
      return .fence(record, outcome)
    case .drained, .revoked, .erased, .timedOut:
      return .ignore(.otherEpoch)
    case .limitReached, .ended:
      return .ignore(.otherSession)
    }
  }

  private func conclude(_ outcome: SessionEvent.Restored, _ epochs: inout EpochCounter) -> Step {
    switch outcome {
    case .found(let record):
      .move(.loggedIn(LoggedIn(session: record)), Effects(.notify))
    case .absent:
      .move(.loggedOut(LoggedOut(reason: previously)), Effects(.notify))
    case .ended(let reason, let token):
      .clear(Effect.Targets(token), sweeping: false, reason, revoking: false, &epochs)
    case .obstructed(let obstacle):
      .move(.restoring(Restoring(obstacle: obstacle, previously: previously)), Effects(.notify))
    }
  }
}
