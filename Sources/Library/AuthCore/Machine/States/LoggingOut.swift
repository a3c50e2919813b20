/// The session has ended: its keys are dead, and the cleanup is under way, in the order drain,
/// revoke, erase.
///
/// Each step has an epoch and a time limit, so this state always ends, even if a dependency fails
/// or never answers.
package struct LoggingOut: MachineState, Hashable, Sendable {
  /// The epoch of the step under way.
  package private(set) var epoch: Epoch
  /// The step under way.
  package private(set) var step: Progress
  /// Why the session has ended.
  package private(set) var reason: EndReason
  /// The tokens to revoke and erase; nil when only the vault has them.
  package private(set) var targets: Effect.Targets?
  /// Whether to erase any token in the vault, not only the targets.
  package private(set) var sweeping: Bool
  /// Whether to revoke the tokens; false when the authority itself ended the session.
  package private(set) var revoking: Bool
  /// The session that replaces this one.
  ///
  /// The vault already holds it.
  package private(set) var successor: SessionRecord?
  /// The parts of the cleanup that failed so far.
  package private(set) var leftovers: IncompleteCleanup

  /// The steps of a logout.
  package enum Progress: Hashable, Sendable, CaseIterable {
    /// Waiting for the leases to end.
    case draining
    /// Waiting for the authority to revoke.
    case revoking
    /// Waiting for the vault to erase.
    case erasing
  }

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _), .command(.logIn, _, _):
      return .rejected(.logoutInProgress)
    case .command(.session(let command), let subject, let caller):
      // A check waits for the next session. Inside a lease it cannot, because a switch of users
      // waits for that lease.
      let waits = command == .check && successor != nil && !caller.isInsideLease
      return waits ? .rejected(.renewalInProgress) : subject.rejection(.logoutInProgress)
    case .command(.answer, _, _), .command(.cancel, _, _):
      return .rejected(.challengeOver)
    case .command(.logOut, let subject, let caller):
      // The named session has ended, and the next one begins.
      if let successor, !subject.includes(successor) { return .rejected(.otherSession) }
      if subject == .nobody { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      // Joins the logout under way.
      guard let successor else { return .transition([]) }
      return abandon(successor, &machine)
    case .recognized, .restored, .answered, .saved:
      return .stale(event)
    case .drained(let epoch):
      guard epoch == self.epoch, step == .draining else { return .stale(event) }
      return proceed(.none, &machine)
    case .revoked(let epoch, let done):
      guard epoch == self.epoch, step == .revoking else { return .stale(event) }
      return proceed(IncompleteCleanup(notRevoked: !done), &machine)
    case .erased(let epoch, let left):
      guard epoch == self.epoch, step == .erasing else { return .stale(event) }
      return proceed(left, &machine)
    case .timedOut(let epoch, let leases):
      guard epoch == self.epoch else { return .stale(event) }
      return proceed(overdue(leases), &machine)
    case .limitReached, .ended:
      return .ignored(.alreadyEnding)
    case .released:
      return machine.release(nil)
    }
  }

  private func overdue(_ leases: Int) -> IncompleteCleanup {
    switch step {
    case .draining: IncompleteCleanup(leases: leases)
    case .revoking: IncompleteCleanup(notRevoked: true)
    case .erasing: IncompleteCleanup(notRevoked: sweeping, notErased: true)
    }
  }

  private func proceed(_ left: IncompleteCleanup, _ machine: inout SessionMachine) -> Reaction {
    let next = with { $0.leftovers = leftovers.adding(left) }
    switch step {
    case .draining:
      guard revoking, let targets else { return next.eraseOrFinish(&machine) }
      return next.begin(.revoking, &machine) { .revoke($0, targets, reason) }
    case .revoking: return next.eraseOrFinish(&machine)
    case .erasing: return next.finish(&machine)
    }
  }

  private func eraseOrFinish(_ machine: inout SessionMachine) -> Reaction {
    if successor != nil { return finish(&machine) }
    return begin(.erasing, &machine) { epoch in
      if let targets, !sweeping { .erase(epoch, targets) } else { .forget(epoch) }
    }
  }

  private func begin(
    _ step: Progress, _ machine: inout SessionMachine, _ first: [Effect] = [], _ effect: (Epoch) -> Effect
  ) -> Reaction {
    let epoch = machine.nextEpoch()
    return machine.move(.loggingOut(with { ($0.epoch, $0.step) = (epoch, step) }), first + [effect(epoch)])
  }

  private func finish(_ machine: inout SessionMachine) -> Reaction {
    if let successor {
      return machine.move(.loggedIn(LoggedIn(session: successor, predecessor: leftovers)), [.notify])
    }
    var next = LoggedOut(reason: .ended(reason), leftovers: leftovers)
    // Targets are set only if a token remains.
    if leftovers.hasTokens { (next.targets, next.sweeping) = (targets, sweeping) }
    return machine.move(.loggedOut(next), [.notify])
  }

  /// Ends both sessions, because the user logs out while a switch is under way.
  private func abandon(_ successor: SessionRecord, _ machine: inout SessionMachine) -> Reaction {
    let pending = successor.grant.token
    let both = Effect.Targets(token: targets?.token ?? pending, pending: pending)
    let next = with {
      ($0.reason, $0.targets, $0.sweeping, $0.revoking, $0.successor) = (.userAsked, both, false, true, nil)
    }
    switch step {
    case .draining: return machine.move(.loggingOut(next), [.notify])
    case .revoking, .erasing: return next.begin(.revoking, &machine, [.notify]) { .revoke($0, both, .userAsked) }
    }
  }
}

extension SessionMachine {
  /// Ends a session that has keys.
  mutating func end(
    _ session: SessionRecord, _ reason: EndReason, revoking: Bool, pending: SessionToken? = nil,
    successor: SessionRecord? = nil, withdrawing challenge: Challenge? = nil
  ) -> Reaction {
    clear(
      Effect.Targets(token: session.grant.token, pending: pending), reason, revoking: revoking, successor: successor,
      [.closeKeys(session.began, reason)], withdrawing: challenge)
  }

  /// Cleans up what may remain of a session that has no keys.
  ///
  /// It also waits for leases first, because one may have outlived an earlier session.
  mutating func clear(
    _ targets: Effect.Targets?, sweeping: Bool = false, _ reason: EndReason, revoking: Bool,
    successor: SessionRecord? = nil, _ first: [Effect] = [], withdrawing challenge: Challenge? = nil
  ) -> Reaction {
    let state = LoggingOut(
      epoch: nextEpoch(), step: .draining, reason: reason, targets: targets, sweeping: sweeping, revoking: revoking,
      successor: successor, leftovers: .none)
    let withdrawal = challenge.map { [Effect.withdraw($0)] } ?? []
    return move(.loggingOut(state), first + [.notify, .drain(state.epoch)] + withdrawal)
  }
}
