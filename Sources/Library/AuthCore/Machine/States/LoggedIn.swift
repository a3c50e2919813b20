/// A session is active, and no work on it is under way.
package struct LoggedIn: MachineState, Hashable, Sendable {
  /// The session; the store creates keys from it.
  package let session: SessionRecord
  /// What remains to clean up of the session that this one replaced.
  package var predecessor = IncompleteCleanup.none

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _), .command(.logIn, _, _):
      return .rejected(.alreadyLoggedIn)
    case .command(.session(let command), let subject, let caller):
      if let reason = command.rejection(subject, caller, during: session) { return .rejected(reason) }
      return machine.begin(command, on: session)
    case .command(.answer, _, _), .command(.cancel, _, _):
      return .rejected(.challengeOver)
    case .command(.logOut, let subject, let caller):
      guard subject.includes(session) else { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      return machine.end(session, .userAsked, revoking: true)
    case .recognized, .restored, .answered, .saved, .drained, .revoked, .erased, .timedOut:
      return .stale(event, during: session)
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return machine.end(session, reason, revoking: true)
    case .ended(let began, let reason):
      guard began == session.began else { return .stale(event) }
      return machine.end(session, reason, revoking: false)
    case .released:
      return machine.release(session)
    }
  }
}
