import AuthCoreTesting

@testable import AuthCore

/// A violation of a rule.
struct ModelViolation: CustomStringConvertible {
  let rule: ModelRule
  let what: String

  var description: String { "\(rule.rawValue): \(what)" }
}

/// Sends events to the machine, and judges its answers and the resulting world.
///
/// The rules do not depend on the table: they must hold for any table.
final class ModelJudge {
  typealias Machine = @Sendable (inout SessionMachine, SessionEvent) -> Reaction

  /// The machine, or a mutant of it.
  let handle: Machine
  private(set) var violation: ModelViolation?
  /// The outcomes found for each pair, each with the first example.
  private(set) var outcomes: [ModelOutcome: String] = [:]
  /// The events and reactions of the last step, for a script.
  var exchanges: [(SessionEvent, Reaction)]?

  init(_ handle: @escaping Machine) { self.handle = handle }

  func expect(_ holds: Bool, _ rule: ModelRule, _ what: @autoclosure () -> String) {
    if !holds && violation == nil { violation = ModelViolation(rule: rule, what: what()) }
  }

  // MARK: An answer

  func judge(_ before: SessionMachine, _ event: SessionEvent, _ reaction: Reaction, _ world: borrowing ModelWorld) {
    let (old, new) = (before.state, world.machine.state)
    let outcome = ModelOutcome(old, event, reaction, new.kind)
    if outcomes[outcome] == nil { outcomes[outcome] = "\(old.shape)\t\(event.shape(in: old))" }
    exchanges?.append((event, reaction))
    let vaultUses = reaction.effects.count { $0.vaultUse != .none }
    expect(vaultUses <= 1, .oneVaultOperationPerAnswer, "two effects want one turn at the vault")
    switch reaction {
    case .transition(let effects): judge(effects, old, event, new, world)
    case .rejected(let reason):
      expect(before == world.machine, .everyEventIsAnswered, "a rejection changed the machine")
      guard let command = event.command else {
        return expect(false, .everyEventIsAnswered, "a completion was rejected")
      }
      let isReleased = reason == .storeReleased
      expect(
        isReleased == world.isReleased, .nobodyWaitsForever,
        "\(command.name) is told to wait after the release of the store, or is refused before")
      if isReleased { break }
      let isWrong = old.permits(event)
      let rule: ModelRule = command == .logOut ? .everyLogoutEnds : .everyEventIsAnswered
      expect(!isWrong, rule, "\(command.name) is permitted, but was rejected")
      judgeWait(event, reason, old)
    case .ignored(_, let cleanup):
      expect(before == world.machine, .lateResultsChangeNothing, "an ignored event changed the machine")
      expect(event.command == nil, .everyEventIsAnswered, "\(event.name) was ignored, and somebody awaits it")
      let isCleanup = cleanup.allSatisfy { [.discard, .discardSaved, .withdraw].contains($0.kind) }
      expect(isCleanup, .lateResultsChangeNothing, "more than clean-up")
      let isAwaited = event.epoch.map(old.awaits) ?? false
      let rule: ModelRule = old.kind == .loggingOut ? .everyLogoutEnds : .nobodyWaitsForever
      expect(!isAwaited, rule, "\(old.shape) did not go on at \(event.name)")
    }
  }

  private func judge(
    _ effects: [Effect], _ old: SessionState, _ event: SessionEvent, _ new: SessionState, _ world: borrowing ModelWorld
  ) {
    if let command = event.command {
      expect(!world.isReleased, .nobodyWaitsForever, "\(command.name) was taken after the release of the store")
      let isOther = old.isAboutAnother(event)
      let isAnswer = command == .answer || command == .cancel
      expect(
        !isOther, isAnswer ? .lateResultsChangeNothing : .commandsKeepToTheirSession,
        "\(command.name) about another session or challenge was taken")
      let waitsForItself = old.wouldWaitForItself(event)
      expect(!waitsForItself, .nobodyWaitsForever, "\(command.name) inside a lease waits for that lease")
      // A launch and a renewal can be joined, and both rules say so.
      let rule: ModelRule =
        [.logIn, .session(.switchUser), .answer].contains(command) ? .oneWorkAtATime : .everyEventIsAnswered
      expect(old.permits(event), rule, "\(command.name) was taken where it is not permitted")
      expect(command != .logOut || new.kind == .loggingOut, .everyLogoutEnds, "a logout led to \(new.shape)")
    } else if let epoch = event.epoch {
      expect(old.awaits(epoch), .lateResultsChangeNothing, "\(event.name) of another epoch was taken")
    } else if case .limitReached(let record, _) = event {
      expect(record == old.session, .lateResultsChangeNothing, "a limit of another record was taken")
    } else if case .recognized(let epoch, let user) = event {
      expect(epoch == old.awaitedEpoch, .lateResultsChangeNothing, "the user of a past read was taken")
      let kept = world.vault.token.map(world.authority.lastKnown)
      expect(
        user == kept && new.lastKnown == user, .lastKnownUserIsThatOfTheVault,
        "\(new.shape), and the vault keeps a token of \(kept?.username ?? "nobody")")
    } else if case .ended(let session, _) = event {
      expect(session == old.session?.began, .lateResultsChangeNothing, "the end of another session was taken")
    }
    let isTold = old.snapshot == new.snapshot || effects.contains(.notify)
    expect(isTold, .everyChangeIsTold, "nobody is told of \(new.shape)")
    judgeEnd(old, event, new, world)
    judgeExposure(old, new, world)
    judgeRecord(old.session, event, new)
    let staysKnown = new.kind != .restoring || new.lastKnown == old.lastKnown || event.name == "recognized"
    expect(staysKnown, .lastKnownUserIsThatOfTheVault, "\(event.name) changed the last known user")
    if case .loggingOut(let state) = old, event.command != .logOut, event != .released {
      let rank = if case .loggingOut(let next) = new { next.rank } else { 0 }
      expect(rank < state.rank, .everyLogoutEnds, "a logout did not come nearer to its end at \(event.name)")
    }
    if case .drained = event {
      expect(!(world.gate?.isOpen ?? false), .completeMeansOver, "the leases drained with the keys alive")
    }
  }

  /// Checks that a caller is told to wait exactly where its turn comes.
  private func judgeWait(_ event: SessionEvent, _ reason: SessionError.Rejection, _ state: SessionState) {
    guard case .command(let command, let subject, let caller) = event else { return }
    if reason == .renewalInProgress {
      let isWork = state.session != nil && state.awaitedEpoch != nil && !state.waitsForPerson
      let isSwitch = if case .loggingOut(let ending) = state { ending.successor != nil } else { false }
      expect(
        isWork || isSwitch && !caller.isInsideLease, .nobodyWaitsForever,
        "\(command.name) is told to wait, and nothing comes that it could wait for")
    } else if case .loggingOut(let ending) = state, ending.successor != nil, command == .session(.check),
      subject == .anyone
    {
      expect(caller.isInsideLease, .everyEventIsAnswered, "a check does not wait for the next user's session")
    }
  }

  /// Checks that only the user, a limit, a vault that is proven empty, an explicit rejection or a
  /// replacing session ends a session.
  private func judgeEnd(
    _ before: SessionState, _ event: SessionEvent, _ after: SessionState, _ world: borrowing ModelWorld
  ) {
    // Before, there is a session, or it is unknown; afterwards there is none, or soon will be none.
    guard before.kind == .restoring || before.session != nil, [.loggedOut, .loggingOut].contains(after.kind) else {
      return
    }
    let oldSession = before.session.map { world.authority.tokens[Int($0.token)].session }
    let isCause: Bool =
      switch event {
      case .command(.logOut, _, _), .limitReached, .ended, .restored(_, .absent), .restored(_, .ended),
        .answered(_, .ended):
        true
      case .restored(_, .found(let grant)): before.session.map { !grant.isOfSameSession(as: $0.grant) } ?? true
      case .saved(_, let token, .done): world.authority.tokens[Int(token.number)].session != oldSession
      case .command, .recognized, .restored, .answered, .saved, .drained, .revoked, .erased, .timedOut, .released:
        false
      }
    expect(isCause, .failuresEndNoSession, "\(event.name) ended a session, or what may be one")
  }

  /// Checks that a session is exposed only if the authority granted it to that user and the vault
  /// holds it.
  private func judgeExposure(_ before: SessionState, _ after: SessionState, _ world: borrowing ModelWorld) {
    guard let record = after.session, before.session?.grant.token != record.grant.token else { return }
    expect(record.grant.user == world.authority.user(of: record), .keysComeFromGrants, "the session is not that user's")
    let wasKept = world.authority.tokens[Int(record.token)].wasKept
    expect(wasKept, .keptBeforeShown, "a session was exposed before it was kept")
  }

  /// Checks that a session has only its own access tokens, and that nothing but a newer grant and a
  /// command about the session changes its record.
  private func judgeRecord(_ before: SessionRecord?, _ event: SessionEvent, _ state: SessionState) {
    let successor = if case .loggingOut(let state) = state { state.successor } else { SessionRecord?.none }
    guard let after = state.session ?? successor else { return }
    let isOwn = after.accessToken.map { $0.value == after.grant.id.rawValue } ?? true
    expect(isOwn, .sessionsKeepTheirRecord, "the access token is that of another session")
    let isCommand = if case .session = event.command { true } else { false }
    guard let before, before.began == after.began, !isCommand else { return }
    // Said here once more: the machine's own `continued(by:)` is what this judges.
    let isKept = after.accessToken == (after.grant.accessToken ?? before.accessToken)
    expect(isKept, .sessionsKeepTheirRecord, "\(event.name) changed more of a session's record than its grant")
  }

  // MARK: A settlement

  func judge(_ settlement: Settlement, _ world: borrowing ModelWorld) {
    let isForeign = world.vault.difference == .foreign
    let state = world.machine.state
    switch settlement {
    case .logout(_, .complete):
      expect(!(world.gate?.isOpen ?? false), .completeMeansOver, "a logout is complete and a lease may begin")
      expect(world.gate?.leases ?? 0 == 0, .completeMeansOver, "a logout is complete and a lease runs")
      let isEmpty = world.vault.content == .empty || isForeign
      expect(isEmpty, .completeMeansOver, "a logout is complete and the vault is not empty")
      let isAlive = world.lastEnded.map { world.authority.session(of: $0).isLeftAlive } ?? false
      expect(!isAlive, .completeMeansOver, "a logout is complete and the session lives")
    case .work(_, .success(.loggedIn(let key))):
      let isKept = world.vault.token == key.record.token || isForeign
      expect(isKept, .memoryAgreesWithVault, "success is reported, and another token is kept")
    case .work(_, .success(.challenged(let challenge))):
      let isAwaited = state.presentChallenge == challenge && state.waitsForPerson
      expect(isAwaited, .nobodyWaitsForever, "a challenge is reported that the state does not wait for")
    case .logout, .work, .restore, .turn: break
    }
  }
}

/// One gate for all keys of the model, which differ in their records.
private let gate = TestSession.mint().key.gate

extension SessionState {
  var key: LoggedInSession? { session.map { LoggedInSession(record: $0, gate: gate) } }

  /// The state as observers see it.
  fileprivate var snapshot: SessionSnapshot { SessionSnapshot(self, key) }

  /// The last known user, who is shown again if the work under way fails.
  fileprivate var lastKnown: LastKnownUser? {
    let origin: SessionState? =
      switch self {
      case .restoring, .loggedOut, .loggedIn, .renewing, .loggingOut: self
      case .authenticating(let state): state.from.state
      case .challenged(let state): if case .login(let origin) = state.from { origin.state } else { nil }
      }
    return if case .restoring(let state) = origin { state.lastKnown } else { nil }
  }
}

extension LoggingOut {
  /// The distance to the end, which every step must reduce.
  fileprivate var rank: Int {
    let steps = LoggingOut.Progress.allCases.drop { $0 != step }.count
    return successor == nil ? steps : steps + 3
  }
}
