/// The state at launch: the vault has not answered yet, or could not answer.
///
/// A login is permitted. This is not "logged out".
package struct Restoring: MachineState, Hashable, Sendable {
  /// The epoch of the read under way; nil before the first one and after a failed one.
  package private(set) var reading: Epoch?
  /// Why the last read failed.
  package private(set) var obstacle: RestoreFailure?
  /// Why nobody was logged in before this read, if known.
  package let previously: LogoutReason
  /// The user of the token in the vault, for display, if a read found one.
  package private(set) var lastKnown: LastKnownUser?

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _):
      // Joins the read under way.
      guard reading == nil else { return .transition([]) }
      let epoch = machine.nextEpoch()
      return machine.move(.restoring(with { $0.reading = epoch }), [.read(epoch), .notify])
    case .command(.logIn, _, _):
      return machine.authenticate(from: .restoring(with { $0.reading = nil }))
    case .command(.session, let subject, _):
      return subject.rejection(.notLoggedIn)
    case .command(.answer, _, _), .command(.cancel, _, _):
      return .rejected(.challengeOver)
    case .command(.logOut, let subject, let caller):
      guard subject == .anyone else { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      return machine.clear(nil, sweeping: true, .userAsked, revoking: true)
    case .recognized(let epoch, let user):
      guard epoch == reading else { return .stale(event) }
      return machine.move(.restoring(with { $0.lastKnown = user }), [.notify])
    case .restored(let epoch, let outcome):
      guard epoch == reading else { return .stale(event) }
      return conclude(outcome, epoch, &machine)
    case .answered, .saved, .drained, .revoked, .erased, .timedOut, .limitReached, .ended:
      return .stale(event)
    case .released:
      return machine.release(nil)
    }
  }

  private func conclude(
    _ outcome: SessionEvent.Restored, _ epoch: Epoch, _ machine: inout SessionMachine
  ) -> Reaction {
    switch outcome {
    case .found(let grant):
      machine.move(.loggedIn(LoggedIn(session: SessionRecord(grant, began: epoch))), [.notify])
    case .absent:
      machine.move(.loggedOut(LoggedOut(reason: previously)), [.notify])
    case .ended(let reason, let token):
      machine.clear(Effect.Targets(token: token), sweeping: false, reason, revoking: false)
    case .obstructed(let obstacle):
      machine.move(.restoring(with { ($0.reading, $0.obstacle) = (nil, obstacle) }), [.notify])
    }
  }
}
