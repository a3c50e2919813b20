/// A session stands, and nothing is under way.
public struct LoggedIn: Hashable, Sendable {
  /// The session; keys are made from it.
  public let session: SessionRecord
  /// The renewals begun in this window.
  public var renewals = RenewalBudget()
  /// What could not be finished of the session that this one took the place of.
  public var predecessor = Leftovers.none

  static let permitted: SessionCommands = [.switchUser, .reauthenticate, .renew, .check, .logOut]

  func react(to event: SessionEvent, _ epochs: inout EpochCounter, _ policy: RenewalPolicy) -> Step {
    switch event {
    case .restore, .logIn:
      return .reject(.alreadyLoggedIn)
    case .switchUser:
      let epoch = epochs.next()
      return renew(.switchUser, epoch, renewals, .authenticate(epoch))
    case .reauthenticate:
      let epoch = epochs.next()
      return renew(.password, epoch, renewals, .reauthenticate(epoch, session))
    case .renew(let now):
      guard let renewals = renewals.spending(at: now, under: policy) else { return .reject(.renewedRecently) }
      let epoch = epochs.next()
      return renew(.activity, epoch, renewals, .renew(epoch, session))
    case .check:
      let epoch = epochs.next()
      return renew(.check, epoch, renewals, .read(epoch))
    case .logOut:
      return .end(session, .userAsked, revoking: true, &epochs)
    case .restored:
      return .ignore(.otherEpoch)
    case .authenticated(_, let outcome):
      return .fence(outcome)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(_, let record, let outcome):
      return .fence(record, outcome)
    case .drained, .revoked, .erased, .timedOut:
      return .ignore(.otherEpoch)
    case .limitReached(let began, let limit):
      guard began == session.began else { return .ignore(.otherSession) }
      return .end(session, limit.reason, revoking: true, &epochs)
    case .ended(let began, let reason):
      guard began == session.began else { return .ignore(.otherSession) }
      return .end(session, reason, revoking: false, &epochs)
    }
  }

  private func renew(
    _ purpose: Renewing.Purpose, _ epoch: Epoch, _ renewals: RenewalBudget, _ effect: Effect
  ) -> Step {
    .move(
      .renewing(Renewing(session: session, purpose: purpose, epoch: epoch, renewals: renewals)),
      Effects(effect, .notify))
  }
}
