/// A session stands, and nothing is under way.
public struct LoggedIn: AnsweringState, Hashable, Sendable {
  /// The session; keys are made from it.
  public let session: SessionRecord
  /// The renewals begun in this window.
  public var renewals = RenewalBudget()
  /// What could not be finished of the session that this one took the place of.
  public var predecessor = IncompleteCleanup.none

  var permitted: SessionCommands { [.switchUser, .reauthenticate, .renew, .check, .logOut] }

  func react(to event: SessionEvent, _ turn: inout Turn) -> Reaction {
    switch event {
    case .restore, .logIn:
      return reject(.alreadyLoggedIn)
    case .switchUser:
      let epoch = turn.nextEpoch()
      return renew(.switchUser, epoch, renewals, .authenticate(epoch), &turn)
    case .reauthenticate:
      let epoch = turn.nextEpoch()
      return renew(.password, epoch, renewals, .reauthenticate(epoch, session), &turn)
    case .renew(let now):
      guard let renewals = renewals.spending(at: now, under: turn.policy) else {
        return reject(.renewedRecently)
      }
      let epoch = turn.nextEpoch()
      return renew(.activity, epoch, renewals, .renew(epoch, session), &turn)
    case .check:
      let epoch = turn.nextEpoch()
      return renew(.check, epoch, renewals, .read(epoch), &turn)
    case .logOut:
      return turn.end(session, .userAsked, revoking: true)
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
    case .limitReached(let began, let limit):
      guard began == session.began else { return .ignored(.otherSession) }
      return turn.end(session, limit.reason, revoking: true)
    case .ended(let began, let reason):
      guard began == session.began else { return .ignored(.otherSession) }
      return turn.end(session, reason, revoking: false)
    }
  }

  private func renew(
    _ purpose: Renewing.Purpose, _ epoch: Epoch, _ renewals: RenewalBudget, _ effect: Effect,
    _ turn: inout Turn
  ) -> Reaction {
    turn.move(
      .renewing(Renewing(session: session, purpose: purpose, epoch: epoch, renewals: renewals)),
      Effects(effect, .notify))
  }
}
