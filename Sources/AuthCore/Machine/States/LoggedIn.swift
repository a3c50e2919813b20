/// A session is active, and no work on it is under way.
package struct LoggedIn: AnsweringState, Hashable, Sendable {
  /// The session; the store creates keys from it.
  package let session: SessionRecord
  /// What remains to clean up of the session that this one replaced.
  package var predecessor = IncompleteCleanup.none

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _), .command(.logIn, _):
      return .rejected(.alreadyLoggedIn)
    case .command(.session(let command), _):
      switch command {
      case .switchUser: return begin(command, &machine) { .authenticate($0) }
      case .reauthenticate: return begin(command, &machine) { .reauthenticate($0, session) }
      case .renew: return begin(command, &machine) { .renew($0, session) }
      case .check: return begin(command, &machine) { .read($0) }
      }
    case .command(.answer, _), .command(.cancel, _):
      return .rejected(.challengeOver)
    case .command(.logOut, _):
      return machine.end(session, .userAsked, revoking: true)
    case .recognized, .restored, .answered, .saved, .drained, .revoked, .erased, .timedOut:
      return .stale(event, during: session)
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return machine.end(session, reason, revoking: true)
    case .ended(let began, let reason):
      guard began == session.began else { return .stale(event) }
      return machine.end(session, reason, revoking: false)
    }
  }

  /// Starts the work of a command.
  private func begin(
    _ command: SessionCommand.OnSession, _ machine: inout SessionMachine, _ effect: (Epoch) -> Effect
  ) -> Reaction {
    let epoch = machine.nextEpoch()
    let next = Renewing(session: session, purpose: command, epoch: epoch, step: .asking)
    return machine.move(.renewing(next), [effect(epoch), .notify])
  }
}
