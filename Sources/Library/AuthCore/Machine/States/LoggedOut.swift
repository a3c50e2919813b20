/// Nobody is logged in.
package struct LoggedOut: MachineState, Hashable, Sendable {
  /// Why nobody is logged in.
  package let reason: LogoutReason
  /// What the last logout could not clean up.
  package var leftovers = IncompleteCleanup.none
  /// The tokens that may still work or may still be in the vault; nil if there are none, or if only
  /// the vault has them.
  package var targets: Effect.Targets?
  /// Whether any token in the vault may be such a token, not only the targets.
  package var sweeping = false

  /// Whether another `logOut` has something to do.
  ///
  /// This does not count a lease that outlived its session, which ends on its own.
  var isUnfinished: Bool { leftovers.hasTokens }

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _):
      // The vault still holds a token that the user asked to erase.
      guard !isUnfinished else { return .rejected(.logoutUnfinished) }
      let epoch = machine.nextEpoch()
      return machine.move(
        .restoring(Restoring(reading: epoch, obstacle: nil, previously: reason, lastKnown: nil)),
        [.read(epoch), .notify])
    case .command(.logIn, _, _):
      return machine.authenticate(from: .loggedOut(self))
    case .command(.session, let subject, _):
      return subject.rejection(.notLoggedIn)
    case .command(.answer, _, _), .command(.cancel, _, _):
      return .rejected(.challengeOver)
    case .command(.logOut, let subject, let caller):
      // Whichever session is named, it has ended, and nobody is logged in.
      guard isUnfinished, subject != .nobody else { return .rejected(.notLoggedIn) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      return machine.clear(targets, sweeping: sweeping, .userAsked, revoking: true)
    case .recognized, .restored, .answered, .saved, .drained, .revoked, .erased, .timedOut, .limitReached, .ended:
      return .stale(event)
    case .released:
      return machine.release(nil)
    }
  }
}
