@testable import AuthCore

// The conditions for every world, and the conditions for a world without work under way.
extension ModelJudge {
  func judgeStart(of effect: Effect, _ world: borrowing ModelWorld) {
    switch effect {
    case .revoke: expect(isDrained(world), .completeMeansOver, "revoked before the leases ended")
    case .erase(_, let targets):
      expect(isDrained(world), .completeMeansOver, "erased before the leases ended")
      let isOver = !world.authority.isLive(targets.token.number) || world.reported.notRevoked
      expect(isOver, .completeMeansOver, "erased before it was revoked")
    case .discard(let token), .discardSaved(let token):
      let tokens = [token.number, world.machine.state.session?.token].compactMap(\.self)
      let sessions = Set(tokens.map { world.authority.tokens[Int($0)].session })
      expect(sessions.count == tokens.count, .lateResultsChangeNothing, "the live session is revoked as a late one")
    case .withdraw(let challenge):
      let isPresent = world.machine.state.presentChallenge?.token == challenge.token
      expect(!isPresent, .lateResultsChangeNothing, "the present challenge is withdrawn as a late one")
    case .read, .authenticate, .reauthenticate, .answer, .renew, .save, .exchange, .drain, .forget, .confirm,
      .closeKeys, .notify:
      break
    }
  }

  /// Whether no lease is running, or every running lease is reported.
  private func isDrained(_ world: borrowing ModelWorld) -> Bool {
    world.gate?.leases ?? 0 == 0 || world.reported.leases > 0
  }

  /// Judges a write of this library, before it lands.
  func judgeWrite(of token: UInt8, _ world: borrowing ModelWorld) {
    let isErased = world.authority.session(of: token).isErased
    expect(!isErased, .overStaysOver, "a session that a logout erased is in the vault again")
  }

  func inspect(_ world: borrowing ModelWorld) {
    let state = world.machine.state
    let isOpen = world.gate?.isOpen ?? false
    expect(
      isOpen == (state.session != nil && !world.isReleased), .completeMeansOver, "the keys do not follow the session")
    if state.kind == .loggingOut || state.waitsForPerson {
      expect(world.timer == state.awaitedEpoch, .everyLogoutEnds, "\(state.shape) has no time limit")
    } else if let epoch = state.awaitedEpoch {
      let count = world.works.count { $0.epoch == epoch }
      expect(count >= 1, .nobodyWaitsForever, "\(state.shape) waits for work that nobody does")
      expect(count <= 1, .oneWorkAtATime, "\(state.shape) waits for \(count) pieces of work")
      let isAwaited =
        state.kind == .restoring || world.isReleased || world.awaited.work != nil
        || world.awaited.leasedWork != nil
      expect(isAwaited, .nobodyWaitsForever, "\(state.shape) goes on and nobody waits for it")
    }
    if state.kind == .loggingOut {
      let isWaiting = world.awaited.leasedWork != nil
      expect(!isWaiting, .nobodyWaitsForever, "a caller inside a lease waits for work that waits for its lease")
    }
    if let waiting = state.waitingChallenge {
      expect(world.timer == waiting.epoch, .nobodyWaitsForever, "\(state.shape) has no time limit")
    }
    inspectCrash(world)
    if world.works.isEmpty { inspectRest(world) }
  }

  /// Checks that a crash now would lose nothing: the vault holds a token that was not exchanged for
  /// another.
  private func inspectCrash(_ world: borrowing ModelWorld) {
    guard let session = world.machine.state.session, world.vault.difference == .none,
      world.authority.session(of: session.token).end == nil
    else { return }
    let isKept = world.vault.token.map { !world.authority.tokens[Int($0)].isSuperseded } ?? false
    expect(isKept, .crashesLoseNothing, "a crash now would lose the live session")
  }

  private func inspectRest(_ world: borrowing ModelWorld) {
    let state = world.machine.state
    let (awaited, vault) = (world.awaited, world.vault)
    let isAwaited =
      awaited.restore != nil || awaited.work != nil || awaited.leasedWork != nil || awaited.logout != nil
      || awaited.turn != nil
    expect(!isAwaited, .nobodyWaitsForever, "\(state.shape), and somebody waits for ever")
    expect(state.awaitedEpoch == nil || state.waitsForPerson, .nobodyWaitsForever, "\(state.shape) for ever")
    if let session = state.session {
      let agrees = vault.token == session.token || vault.difference != .none
      expect(agrees, .memoryAgreesWithVault, "another token is kept")
    }
    if case .loggedIn(let state) = state {
      let token = world.authority.tokens[Int(state.session.token)]
      let isOver = world.authority.session(of: state.session.token).end != nil
      expect(
        token.replaces == nil || token.isConfirmationMissing || isOver, .savedTokensAreConfirmed,
        "the authority was never told that the new token is kept, so the old one still works")
    }
    if case .loggedOut(let state) = state {
      let isErased = vault.content == .empty || vault.difference != .none || state.leftovers.notErased
      expect(isErased, .memoryAgreesWithVault, "nobody is logged in, and the vault is not empty")
    }
    for (number, step) in world.authority.steps.enumerated() where step.isLeftOpen {
      expect(
        state.presentChallenge?.token.number == UInt8(number), .cancelledStepsLeaveNothing,
        "the authority still takes an answer of \(ModelAuthority.names[Int(step.user)]) that nobody can give")
    }
    for (number, session) in world.authority.sessions.enumerated() where session.isLeftAlive {
      let holders = [state.session?.token, vault.token].compactMap(\.self)
      expect(
        holders.contains { world.authority.tokens[Int($0)].session == number }, .lateResultsChangeNothing,
        "a session of \(ModelAuthority.names[Int(session.user)]) lives on that nobody holds")
    }
  }
}

extension ModelWorld {
  /// What the logout under way will report as left over.
  fileprivate var reported: IncompleteCleanup {
    if case .loggingOut(let state) = machine.state { state.leftovers } else { .none }
  }
}
