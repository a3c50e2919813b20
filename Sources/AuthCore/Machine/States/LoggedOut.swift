/// Nobody is logged in.
package struct LoggedOut: AnsweringState, Hashable, Sendable {
  /// Why.
  package let reason: LogoutReason
  /// What the last logout could not clean up.
  package let leftovers: IncompleteCleanup
  /// The tokens that may still work or may still be in the vault; nil when there is none, or when
  /// only the vault knows them.
  package let targets: Effect.Targets?
  /// Whether any token in the vault may be such a token, and not only the targets.
  package let sweeping: Bool

  /// Whether another `logOut` has something to do.
  ///
  /// A lease that outlived its session ends by itself.
  var isUnfinished: Bool { leftovers.hasTokens }

  var permitted: CommandSet {
    isUnfinished ? [.logIn, .logOut] : [.restore, .logIn]
  }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore:
      // The vault still holds what the user asked to erase.
      guard !isUnfinished else { return reject(.logoutUnfinished) }
      let epoch = context.nextEpoch()
      return context.move(
        .restoring(Restoring(reading: epoch, obstacle: nil, previously: reason)), Effects(.read(epoch), .notify))
    case .logIn:
      return context.authenticate(from: .loggedOut(self))
    case .switchUser, .reauthenticate, .renew, .check:
      return reject(.notLoggedIn)
    case .answer, .cancel:
      return reject(.challengeOver)
    case .logOut:
      guard isUnfinished else { return reject(.alreadyLoggedOut) }
      return context.clear(targets, sweeping: sweeping, .userAsked, revoking: true)
    case .restored:
      return .ignored(.otherEpoch)
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
}
