/// A login is under way: the authority checks the credentials, or the vault saves the grant.
package struct Authenticating: MachineState, Hashable, Sendable {
  /// The epoch of the work under way.
  package let epoch: Epoch
  /// The session whose token is being saved; nil until the authority answers.
  package let saving: SessionRecord?
  /// The state to return to after a failure.
  package let from: Origin

  /// The states from which a login may start, with the content that a failure restores.
  package enum Origin: Hashable, Sendable {
    /// It was unknown whether there was a session; no read is under way.
    case restoring(Restoring)
    /// Nobody was logged in.
    case loggedOut(LoggedOut)
  }

  func react(to event: SessionEvent, _ machine: inout SessionMachine) -> Reaction {
    switch event {
    case .command(.restore, _, _), .command(.logIn, _, _):
      return .rejected(.alreadyInProgress)
    case .command(.session(let command), let subject, _):
      return subject.rejection(command.authenticates ? .alreadyInProgress : .notLoggedIn)
    case .command(.answer, _, _), .command(.cancel, _, _):
      return .rejected(.challengeOver)
    case .command(.logOut, let subject, let caller):
      guard subject == .anyone else { return .rejected(.otherSession) }
      if caller.isInsideLease { return .rejected(.insideLease) }
      // This sweeps the vault even while a grant is being saved: if the write fails, the vault
      // still holds its previous content. The grant itself is revoked when its write completes.
      return machine.clear(from.unfinished, sweeping: true, .userAsked, revoking: true)
    case .answered(let epoch, let outcome):
      guard epoch == self.epoch, saving == nil else { return .stale(event) }
      return conclude(outcome, &machine)
    case .saved(let epoch, let token, let outcome):
      guard epoch == self.epoch, let saving else { return .stale(event) }
      switch outcome {
      case .done: return machine.move(.loggedIn(LoggedIn(session: saving)), [.notify])
      case .failed, .superseded: return machine.move(from.state, [.discard(token), .notify])
      }
    case .recognized, .restored, .drained, .revoked, .erased, .timedOut, .limitReached, .ended:
      return .stale(event)
    case .released:
      return machine.release(nil)
    }
  }

  func conclude(_ outcome: SessionEvent.Answer, _ machine: inout SessionMachine) -> Reaction {
    switch outcome {
    case .granted(let grant):
      let record = SessionRecord(grant, began: epoch)
      let epoch = machine.nextEpoch()
      return machine.move(
        .authenticating(Authenticating(epoch: epoch, saving: record, from: from)), [.save(epoch, grant)])
    case .challenged(let challenge):
      return machine.ask(challenge, .login(from))
    // Only an answer about a session says that it has ended or has another token.
    case .failed, .ended, .superseded:
      return machine.move(from.state, [.notify])
    }
  }
}

extension Authenticating.Origin {
  /// The tokens that a logout before this login could not clean up.
  var unfinished: Effect.Targets? {
    if case .loggedOut(let state) = self, state.isUnfinished { state.targets } else { nil }
  }

  /// The state to return to.
  var state: SessionState {
    switch self {
    case .restoring(let state): .restoring(state)
    case .loggedOut(let state): .loggedOut(state)
    }
  }
}

extension SessionMachine {
  /// Starts an authentication.
  mutating func authenticate(from origin: Authenticating.Origin) -> Reaction {
    let epoch = nextEpoch()
    return move(
      .authenticating(Authenticating(epoch: epoch, saving: nil, from: origin)), [.authenticate(epoch), .notify])
  }
}
