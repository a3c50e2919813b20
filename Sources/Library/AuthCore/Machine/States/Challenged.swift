/// The authority accepted the first step, and requires a second one.
///
/// A user who was logged in before stays logged in until the correct answer comes: renewals and
/// checks of the session go on, in ``Renewing``, which returns here.
package struct Challenged: MachineState, Hashable, Sendable {
  /// The question of the authority.
  package let challenge: Challenge
  /// The epoch of the step under way.
  package let epoch: Epoch
  /// The step under way.
  package let step: Progress
  /// The first step, with the content that a failure restores.
  package let from: Origin

  /// The steps of a challenge.
  package enum Progress: Hashable, Sendable, CaseIterable {
    /// Waiting for the user, until the deadline of the challenge.
    case waiting
    /// The authority checks an answer.
    case answering
  }

  /// The first step.
  package enum Origin: Hashable, Sendable {
    /// A login.
    case login(Authenticating.Origin)
    /// A password check or a switch of users, while this session is active.
    case session(SessionRecord, SessionCommand.OnSession)
  }

  /// The active session, if any.
  package var session: SessionRecord? {
    if case .session(let session, _) = from { session } else { nil }
  }

  /// The session that continues after a correct answer; nil when the answer begins another session.
  package var reauthenticated: SessionRecord? {
    if case .session(let session, let purpose) = from, purpose != .switchUser { session } else { nil }
  }

  /// Whether the correct answer ends the active session.
  var replacesSession: Bool { session != nil && reauthenticated == nil }

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _), .command(.logIn, _, _):
      return .rejected(session == nil ? .alreadyInProgress : .alreadyLoggedIn)
    case .command(.session(let command), let subject, let caller):
      guard case .session(let session, let purpose) = from else {
        return subject.rejection(command.authenticates ? .alreadyInProgress : .notLoggedIn)
      }
      if let reason = command.rejection(subject, caller, during: session) { return .rejected(reason) }
      if command.authenticates { return .rejected(.alreadyInProgress) }
      // The check of an answer ends soon, so the caller waits for it. A user may take long.
      guard step == .waiting else { return .rejected(.renewalInProgress) }
      return machine.begin(
        command, on: session, beside: Renewing.Beside(challenge: challenge, purpose: purpose, epoch: epoch))
    case .command(.answer, let subject, let caller):
      guard subject == .challenge(challenge.token) else { return .rejected(.challengeOver) }
      // The correct answer to a switch ends the session, and would wait for the caller's lease.
      if caller.isInsideLease, replacesSession { return .rejected(.insideLease) }
      guard step == .waiting else { return .rejected(.alreadyInProgress) }
      let epoch = machine.nextEpoch()
      return machine.move(
        .challenged(Challenged(challenge: challenge, epoch: epoch, step: .answering, from: from)),
        [.answer(epoch, challenge, for: reauthenticated)])
    case .command(.cancel, let subject, _):
      guard subject == .challenge(challenge.token) else { return .rejected(.challengeOver) }
      return machine.move(origin, [.withdraw(challenge), .notify])
    case .command(.logOut, let subject, let caller):
      guard session.map(subject.includes) ?? (subject == .anyone) else { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      return end(.userAsked, revoking: true, &machine)
    case .answered(let epoch, let outcome):
      guard epoch == self.epoch, step == .answering else { return .stale(event, during: session, beside: challenge) }
      // From here on, it is the same as the answer to the first step.
      switch from {
      case .login(let origin):
        return Authenticating(epoch: epoch, saving: nil, from: origin).conclude(outcome, &machine).notifying
      case .session(let session, let purpose):
        let firstStep = Renewing(session: session, purpose: purpose, epoch: epoch, step: .asking, beside: nil)
        return firstStep.conclude(outcome, &machine).notifying
      }
    case .recognized, .restored, .saved, .drained, .revoked, .erased:
      return .stale(event)
    case .timedOut(let epoch, _):
      guard epoch == self.epoch, step == .waiting else { return .stale(event) }
      return machine.move(origin, [.withdraw(challenge), .notify])
    case .limitReached(let record, let reason):
      guard record == session else { return .stale(event) }
      return end(reason, revoking: true, &machine)
    case .ended(let began, let reason):
      guard began == session?.began else { return .stale(event) }
      return end(reason, revoking: false, &machine)
    case .released:
      // The check of an answer goes on.
      return step == .waiting
        ? machine.release(session, to: origin, withdrawing: challenge) : machine.release(session)
    }
  }

  private func end(_ reason: EndReason, revoking: Bool, _ machine: inout SessionMachine) -> Reaction {
    switch from {
    case .login(let origin):
      machine.clear(origin.unfinished, sweeping: true, reason, revoking: revoking, withdrawing: challenge)
    case .session(let session, _):
      machine.end(session, reason, revoking: revoking, withdrawing: challenge)
    }
  }

  /// The state to return to without an answer.
  private var origin: SessionState { from.state }
}

extension Challenged.Origin {
  /// The state to return to without an answer.
  fileprivate var state: SessionState {
    switch self {
    case .login(let origin): origin.state
    case .session(let session, _): .loggedIn(LoggedIn(session: session))
    }
  }
}

extension Reaction {
  /// The same reaction with a notification, because screens must stop showing the challenge.
  fileprivate var notifying: Reaction {
    guard case .transition(let effects) = self, !effects.contains(.notify) else { return self }
    return .transition(effects + [.notify])
  }
}

extension SessionMachine {
  /// Starts to wait for the user's second step.
  mutating func ask(_ challenge: Challenge, _ origin: Challenged.Origin) -> Reaction {
    // Nobody can answer a challenge that arrives after the store was released.
    if isReleased { return move(origin.state, [.withdraw(challenge), .notify]) }
    let epoch = nextEpoch()
    return move(
      .challenged(Challenged(challenge: challenge, epoch: epoch, step: .waiting, from: origin)), [.notify])
  }
}
