/// The session is over: its keys are dead, and the cleanup is under way in the order drain, revoke,
/// erase.
///
/// Each step has its own epoch and a time limit, so this state always ends, whatever fails or never
/// answers.
package struct LoggingOut: AnsweringState, Hashable, Sendable {
  /// The epoch of the step under way.
  package let epoch: Epoch
  /// The step under way.
  package let step: Progress
  /// Why the session is over.
  package let reason: EndReason
  /// The tokens to revoke and erase; nil when only the vault knows them.
  package let targets: Effect.Targets?
  /// Whether to erase whatever the vault holds, and not only the targets.
  package let sweeping: Bool
  /// Whether to revoke the tokens; not needed when the authority itself ended the session.
  package let revoking: Bool
  /// The session that replaces this one.
  ///
  /// The vault already holds it.
  package let successor: SessionRecord?
  /// What could not be cleaned up so far.
  package let leftovers: IncompleteCleanup

  /// The steps of a logout.
  package enum Progress: Hashable, Sendable, CaseIterable {
    /// Waiting for the leases to end.
    case draining
    /// Waiting for the authority to revoke.
    case revoking
    /// Waiting for the vault to erase.
    case erasing
  }

  var permitted: CommandSet { [.logOut] }

  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch event {
    case .restore, .logIn, .switchUser, .reauthenticate, .renew, .check:
      return reject(.logoutInProgress)
    case .answer, .cancel:
      return reject(.challengeOver)
    case .logOut:
      guard let successor else { return context.join() }
      return abandon(successor, &context)
    case .restored:
      return .ignored(.otherEpoch)
    case .authenticated(_, let outcome):
      return .fence(outcome)
    case .renewed(_, let outcome):
      return .fence(outcome)
    case .saved(_, let record, let outcome):
      return .fence(record, outcome)
    case .drained(let epoch):
      guard epoch == self.epoch, step == .draining else { return .ignored(.otherEpoch) }
      return proceed(.none, &context)
    case .revoked(let epoch, let done):
      guard epoch == self.epoch, step == .revoking else { return .ignored(.otherEpoch) }
      return proceed(IncompleteCleanup(notRevoked: !done), &context)
    case .erased(let epoch, let left):
      guard epoch == self.epoch, step == .erasing else { return .ignored(.otherEpoch) }
      return proceed(left, &context)
    case .timedOut(let epoch, let leases):
      guard epoch == self.epoch else { return .ignored(.otherEpoch) }
      return proceed(overdue(leases), &context)
    case .limitReached, .ended:
      return .ignored(.alreadyEnding)
    }
  }

  private func overdue(_ leases: Int) -> IncompleteCleanup {
    switch step {
    case .draining: IncompleteCleanup(leases: leases)
    case .revoking: IncompleteCleanup(notRevoked: true)
    case .erasing: IncompleteCleanup(notRevoked: sweeping, notErased: true)
    }
  }

  private func proceed(_ left: IncompleteCleanup, _ context: inout TransitionContext) -> Reaction {
    let left = leftovers.adding(left)
    switch step {
    case .draining:
      guard revoking, let targets else { return eraseOrFinish(left, &context) }
      let epoch = context.nextEpoch()
      return begin(.revoking, epoch, .revoke(epoch, targets, reason), left, &context)
    case .revoking:
      return eraseOrFinish(left, &context)
    case .erasing:
      return finish(left, &context)
    }
  }

  private func eraseOrFinish(_ left: IncompleteCleanup, _ context: inout TransitionContext) -> Reaction {
    if successor != nil { return finish(left, &context) }
    let epoch = context.nextEpoch()
    if let targets, !sweeping { return begin(.erasing, epoch, .erase(epoch, targets), left, &context) }
    return begin(.erasing, epoch, .forget(epoch), left, &context)
  }

  private func begin(
    _ step: Progress, _ epoch: Epoch, _ effect: consuming Effect, _ left: IncompleteCleanup,
    _ context: inout TransitionContext
  ) -> Reaction {
    context.move(
      .loggingOut(
        LoggingOut(
          epoch: epoch, step: step, reason: reason, targets: targets, sweeping: sweeping, revoking: revoking,
          successor: successor, leftovers: left)),
      Effects(effect))
  }

  private func finish(_ left: IncompleteCleanup, _ context: inout TransitionContext) -> Reaction {
    if let successor {
      return context.move(
        .loggedIn(LoggedIn(session: successor, renewals: RenewalBudget(), predecessor: left)), Effects(.notify))
    }
    // When no token remains, the state names none.
    let next =
      left.hasTokens
      ? LoggedOut(reason: .ended(reason), leftovers: left, targets: targets, sweeping: sweeping)
      : LoggedOut(reason: .ended(reason), leftovers: left, targets: nil, sweeping: false)
    return context.move(.loggedOut(next), Effects(.notify))
  }

  /// The user logs out while a switch is under way: this ends both sessions.
  private func abandon(_ successor: SessionRecord, _ context: inout TransitionContext) -> Reaction {
    let token = targets?.token ?? successor.grant.token
    let next = LoggingOut(
      epoch: epoch, step: step, reason: .userAsked, targets: Effect.Targets(token, pending: successor.grant.token),
      sweeping: false, revoking: true, successor: nil, leftovers: leftovers)
    switch step {
    case .draining: return context.move(.loggingOut(next), Effects(.notify))
    case .revoking, .erasing:
      let epoch = context.nextEpoch()
      let targets = Effect.Targets(token, pending: successor.grant.token)
      return next.begin(.revoking, epoch, .revoke(epoch, targets, .userAsked), leftovers, &context)
    }
  }
}

extension TransitionContext {
  /// Ends a session that has keys.
  mutating func end(
    _ session: SessionRecord, _ reason: EndReason, revoking: Bool, pending: SessionToken? = nil,
    successor: SessionRecord? = nil, withdrawing challenge: Challenge? = nil
  ) -> Reaction {
    let epoch = nextEpoch()
    let next = LoggingOut(
      epoch: epoch, step: .draining, reason: reason,
      targets: Effect.Targets(session.grant.token, pending: pending), sweeping: false, revoking: revoking,
      successor: successor, leftovers: .none)
    return move(
      .loggingOut(next),
      Effects(.closeKeys(session.began, reason), .notify, .drain(epoch), challenge.map { .withdraw($0) }))
  }

  /// Cleans up what may remain of a session that has no keys.
  ///
  /// It also begins with the leases: one may have outlived an earlier session.
  mutating func clear(
    _ targets: Effect.Targets?, sweeping: Bool, _ reason: EndReason, revoking: Bool,
    withdrawing challenge: Challenge? = nil
  ) -> Reaction {
    let epoch = nextEpoch()
    let next = LoggingOut(
      epoch: epoch, step: .draining, reason: reason, targets: targets, sweeping: sweeping, revoking: revoking,
      successor: nil, leftovers: .none)
    return move(.loggingOut(next), Effects(.notify, .drain(epoch), challenge.map { .withdraw($0) }))
  }
}
