/// A session is active and usable, and one operation on it is under way.
package struct Renewing: MachineState, Hashable, Sendable {
  /// The session; the store creates keys from it.
  package let session: SessionRecord
  /// The command that the work carries out.
  package let purpose: SessionCommand.OnSession
  /// The epoch of the step under way.
  package private(set) var epoch: Epoch
  /// The step under way.
  package private(set) var step: Progress
  /// The challenge of an earlier command that waits for the user's answer during this work.
  package private(set) var beside: Beside?

  /// The steps of the work.
  package enum Progress: Hashable, Sendable {
    /// Waiting for the authority.
    case asking
    /// Saving the grant of this session, or of the one that replaces it, in the vault.
    case saving(SessionRecord)
    /// Reading the vault again, because another process changed it first.
    case rereading
  }

  /// The challenge of a password check or a switch of users, to which the state returns.
  package struct Beside: Hashable, Sendable {
    /// The question of the authority.
    package let challenge: Challenge
    /// The command whose second step it is.
    package let purpose: SessionCommand.OnSession
    /// The epoch of the wait for the user.
    package let epoch: Epoch
  }

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _), .command(.logIn, _, _):
      return .rejected(.alreadyLoggedIn)
    case .command(.session(let command), let subject, let caller):
      if let reason = command.rejection(subject, caller, during: session) { return .rejected(reason) }
      if joins(command, caller) { return .transition([]) }
      // Only one authentication may be under way. For other work, the caller waits.
      let areAuthenticating = command.authenticates && (purpose.authenticates || beside != nil)
      return .rejected(areAuthenticating ? .alreadyInProgress : .renewalInProgress)
    case .command(.answer, let subject, let caller):
      guard let beside, subject == .challenge(beside.challenge.token) else { return .rejected(.challengeOver) }
      if caller.isInsideLease, beside.purpose == .switchUser { return .rejected(.insideLease) }
      // The caller waits: the answer needs the session's newest token.
      return .rejected(.renewalInProgress)
    case .command(.cancel, let subject, _):
      guard let beside, subject == .challenge(beside.challenge.token) else { return .rejected(.challengeOver) }
      return withdraw(beside, &machine)
    case .command(.logOut, let subject, let caller):
      guard subject.includes(session) else { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      return end(.userAsked, revoking: true, pending: pending, &machine)
    case .restored(let epoch, let outcome):
      guard epoch == self.epoch, step == .rereading || step == .asking && purpose == .check else {
        return .stale(event)
      }
      return conclude(outcome, &machine)
    case .answered(let epoch, let outcome):
      guard epoch == self.epoch, step == .asking, purpose != .check else {
        return .stale(event, during: session, beside: beside?.challenge)
      }
      return conclude(outcome, &machine)
    case .saved(let epoch, _, let outcome):
      guard epoch == self.epoch, case .saving(let record) = step else { return .stale(event) }
      return conclude(record, outcome, &machine)
    case .timedOut(let epoch, _):
      guard let beside, epoch == beside.epoch else { return .stale(event) }
      return withdraw(beside, &machine)
    case .recognized, .drained, .revoked, .erased:
      return .stale(event)
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return end(reason, revoking: true, pending: pending, &machine)
    case .ended(let began, let reason):
      guard began == session.began else { return .stale(event) }
      return end(reason, revoking: pending != nil, pending: pending, &machine)
    case .released:
      guard let beside else { return machine.release(session) }
      return machine.release(session, to: .renewing(with { $0.beside = nil }), withdrawing: beside.challenge)
    }
  }

  /// Whether the result of the work under way is also that of a command.
  ///
  /// A check joins only a check that began after its call: an earlier one may have read the vault
  /// before the change that this caller is looking for.
  private func joins(_ command: SessionCommand.OnSession, _ caller: CommandCaller) -> Bool {
    switch command {
    case .renew: purpose == .renew
    case .check: purpose == .check && caller.since.map { $0.number < epoch.number } ?? false
    case .switchUser, .reauthenticate: false
    }
  }

  /// The token that may be in the vault in place of the session's.
  private var pending: SessionToken? {
    if case .saving(let record) = step { record.grant.token } else { nil }
  }

  // MARK: Results of the work

  private func conclude(_ outcome: SessionEvent.Restored, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .found(let grant) where grant.isOfSameSession(as: session.grant):
      goOn(session.continued(by: grant), &machine)
    case .found(let grant):
      end(.switchedUser, revoking: true, successor: SessionRecord(grant, began: epoch), &machine)
    case .absent:
      end(.userAsked, revoking: true, &machine)
    case .ended(let reason, let token):
      end(
        reason, revoking: token != session.grant.token, pending: token == session.grant.token ? nil : token, &machine)
    case .obstructed:
      goOn(session, &machine)
    }
  }

  func conclude(_ outcome: SessionEvent.Answer, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .granted(let grant) where purpose == .switchUser: save(SessionRecord(grant, began: epoch), &machine)
    case .granted(let grant) where grant.token == session.grant.token: goOn(session.continued(by: grant), &machine)
    case .granted(let grant): save(session.continued(by: grant), &machine)
    case .challenged(let challenge): machine.ask(challenge, .session(session, purpose))
    case .ended(let reason): end(reason, revoking: false, &machine)
    case .superseded: reread(&machine)
    case .failed: goOn(session, &machine)
    }
  }

  private func conclude(
    _ record: SessionRecord, _ outcome: SessionEvent.Saved, _ machine: inout SessionMachine
  ) -> Reaction {
    let isSwitch = purpose == .switchUser
    switch outcome {
    case .done where isSwitch:
      return end(.switchedUser, revoking: true, successor: record, &machine)
    case .done:
      let session = session.continued(by: record.grant)
      return goOn(session, &machine, [.confirm(session)])
    case .failed:
      // The new token of this session was never confirmed, so the token in the vault still works:
      // memory agrees with the vault.
      return goOn(session, &machine, isSwitch ? [.discard(record.grant.token)] : [])
    case .superseded:
      return reread(&machine, isSwitch ? [.discard(record.grant.token)] : [])
    }
  }

  private func goOn(
    _ record: SessionRecord, _ machine: inout SessionMachine, _ effects: [Effect] = []
  ) -> Reaction {
    machine.move(beside?.waiting(with: record) ?? .loggedIn(LoggedIn(session: record)), effects + [.notify])
  }

  /// Ends the session, and the challenge beside this work.
  private func end(
    _ reason: EndReason, revoking: Bool, pending: SessionToken? = nil, successor: SessionRecord? = nil,
    _ machine: inout SessionMachine
  ) -> Reaction {
    machine.end(
      session, reason, revoking: revoking, pending: pending, successor: successor, withdrawing: beside?.challenge)
  }

  /// Ends the challenge beside this work, which continues.
  private func withdraw(_ beside: Beside, _ machine: inout SessionMachine) -> Reaction {
    machine.move(.renewing(with { $0.beside = nil }), [.withdraw(beside.challenge), .notify])
  }

  private func save(_ record: SessionRecord, _ machine: inout SessionMachine) -> Reaction {
    let epoch = machine.nextEpoch()
    return machine.move(
      .renewing(with { ($0.epoch, $0.step) = (epoch, .saving(record)) }),
      [.exchange(epoch, old: session.grant.token, new: record.grant)])
  }

  private func reread(_ machine: inout SessionMachine, _ effects: [Effect] = []) -> Reaction {
    let epoch = machine.nextEpoch()
    return machine.move(.renewing(with { ($0.epoch, $0.step) = (epoch, .rereading) }), effects + [.read(epoch)])
  }
}

extension Renewing.Beside {
  /// The state in which nothing but the user's answer is awaited.
  fileprivate func waiting(with session: SessionRecord) -> SessionState {
    .challenged(
      Challenged(challenge: challenge, epoch: epoch, step: .waiting, from: .session(session, purpose)))
  }
}

extension SessionMachine {
  /// Starts the work of a command on a session.
  mutating func begin(
    _ command: SessionCommand.OnSession, on session: SessionRecord, beside: Renewing.Beside? = nil
  ) -> Reaction {
    let epoch = nextEpoch()
    let effect: Effect =
      switch command {
      case .switchUser: .authenticate(epoch)
      case .reauthenticate: .reauthenticate(epoch, session)
      case .renew: .renew(epoch, session)
      case .check: .read(epoch)
      }
    let next = Renewing(session: session, purpose: command, epoch: epoch, step: .asking, beside: beside)
    return move(.renewing(next), [effect, .notify])
  }
}
