/// The session is over: its keys are dead, and what remains is cleared away in the order drain, revoke, erase.
///
/// Each step has an epoch of its own and a time limit, so this state always ends, whatever fails or never answers.
public struct LoggingOut: AnsweringState, Hashable, Sendable {
  /// The epoch of the step under way.
  public let epoch: Epoch
  /// Which step that is.
  public let step: Progress
  /// Why the session is over.
  public let reason: EndReason
  /// The tokens to revoke and erase; nil when only the vault knows.
  public let targets: Effect.Targets?
  /// Whether the vault is to forget whatever it holds, and not the targets only.
  public var sweeping = false
  /// Whether the authority has to be told; it has not when the reason came from there.
  public var revoking = true
  /// The session that takes the place of this one.
  ///
  /// It is kept already.
  public var successor: SessionRecord?
  /// What could not be finished so far.
  public var leftovers = IncompleteCleanup.none

  /// The steps of a logout.
  public enum Progress: Hashable, Sendable, CaseIterable {
    /// Waiting for the leases to end.
    case draining
    /// The authority has been told.
    case revoking
    /// The vault is forgetting.
    case erasing
  }

  var permitted: SessionCommands { [.logOut] }

  func react(to event: SessionEvent, _ turn: inout Turn) -> Reaction {
    switch event {
    case .restore, .logIn, .switchUser, .reauthenticate, .renew, .check:
      return reject(.logoutInProgress)
    case .logOut:
      guard let successor else { return turn.join() }
      return abandon(successor, &turn)
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
      return proceed(.none, &turn)
    case .revoked(let epoch, let done):
      guard epoch == self.epoch, step == .revoking else { return .ignored(.otherEpoch) }
      return proceed(IncompleteCleanup(notRevoked: !done), &turn)
    case .erased(let epoch, let left):
      guard epoch == self.epoch, step == .erasing else { return .ignored(.otherEpoch) }
      return proceed(left, &turn)
    case .timedOut(let epoch, let leases):
      guard epoch == self.epoch else { return .ignored(.otherEpoch) }
      return proceed(overdue(leases), &turn)
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

  private func proceed(_ left: IncompleteCleanup, _ turn: inout Turn) -> Reaction {
    let left = leftovers.adding(left)
    switch step {
    case .draining:
      guard revoking, let targets else { return eraseOrFinish(left, &turn) }
      let epoch = turn.nextEpoch()
      return begin(.revoking, epoch, .revoke(epoch, targets, reason), left, &turn)
    case .revoking:
      return eraseOrFinish(left, &turn)
    case .erasing:
      return finish(left, &turn)
    }
  }

  private func eraseOrFinish(_ left: IncompleteCleanup, _ turn: inout Turn) -> Reaction {
    if successor != nil { return finish(left, &turn) }
    let epoch = turn.nextEpoch()
    if let targets, !sweeping { return begin(.erasing, epoch, .erase(epoch, targets), left, &turn) }
    return begin(.erasing, epoch, .forget(epoch), left, &turn)
  }

  private func begin(
    _ step: Progress, _ epoch: Epoch, _ effect: consuming Effect, _ left: IncompleteCleanup, _ turn: inout Turn
  ) -> Reaction {
    turn.move(
      .loggingOut(
        LoggingOut(
          epoch: epoch, step: step, reason: reason, targets: targets, sweeping: sweeping, revoking: revoking,
          successor: successor, leftovers: left)),
      Effects(effect))
  }

  private func finish(_ left: IncompleteCleanup, _ turn: inout Turn) -> Reaction {
    if let successor {
      return turn.move(.loggedIn(LoggedIn(session: successor, predecessor: left)), Effects(.notify))
    }
    // Where no token is left, neither is one named.
    let next =
      left.hasTokens
      ? LoggedOut(reason: .ended(reason), leftovers: left, targets: targets, sweeping: sweeping)
      : LoggedOut(reason: .ended(reason), leftovers: left)
    return turn.move(.loggedOut(next), Effects(.notify))
  }

  /// The user logs out while a switch is under way: the one who was to come does not.
  private func abandon(_ successor: SessionRecord, _ turn: inout Turn) -> Reaction {
    let token = targets?.token ?? successor.grant.token
    let next = LoggingOut(
      epoch: epoch, step: step, reason: .userAsked, targets: Effect.Targets(token, pending: successor.grant.token),
      leftovers: leftovers)
    switch step {
    case .draining: return turn.move(.loggingOut(next), Effects(.notify))
    case .revoking, .erasing:
      let epoch = turn.nextEpoch()
      let targets = Effect.Targets(token, pending: successor.grant.token)
      return next.begin(.revoking, epoch, .revoke(epoch, targets, .userAsked), leftovers, &turn)
    }
  }
}

extension Turn {
  /// Ends a session that has keys.
  mutating func end(
    _ session: SessionRecord, _ reason: EndReason, revoking: Bool, pending: SessionToken? = nil,
    successor: SessionRecord? = nil
  ) -> Reaction {
    let epoch = nextEpoch()
    let next = LoggingOut(
      epoch: epoch, step: .draining, reason: reason,
      targets: Effect.Targets(session.grant.token, pending: pending), revoking: revoking, successor: successor)
    return move(.loggingOut(next), Effects(.closeKeys(session.began), .notify, .drain(epoch)))
  }

  /// Clears away what may be left of a session that has no keys.
  ///
  /// It begins with the leases too: one may have outlived a session that ended before.
  mutating func clear(
    _ targets: Effect.Targets?, sweeping: Bool, _ reason: EndReason, revoking: Bool
  ) -> Reaction {
    let epoch = nextEpoch()
    let next = LoggingOut(
      epoch: epoch, step: .draining, reason: reason, targets: targets, sweeping: sweeping, revoking: revoking)
    return move(.loggingOut(next), Effects(.notify, .drain(epoch)))
  }
}
