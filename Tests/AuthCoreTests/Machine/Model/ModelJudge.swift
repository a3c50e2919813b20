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

  init(_ handle: @escaping Machine) {
    self.handle = handle
  }

  func forget() { violation = nil }

  func expect(_ holds: Bool, _ rule: ModelRule, _ what: @autoclosure () -> String) {
    if !holds && violation == nil { violation = ModelViolation(rule: rule, what: what()) }
  }

  private func note(_ before: SessionState, _ event: SessionEvent, _ reaction: Reaction, _ after: SessionState) {
    let outcome = ModelOutcome(before.kind, event, reaction, after.kind)
    if outcomes[outcome] == nil { outcomes[outcome] = "\(before.shape)\t\(event.shape(in: before))" }
  }

  // MARK: An answer

  func judge(_ before: SessionMachine, _ event: SessionEvent, _ reaction: Reaction, _ world: borrowing ModelWorld) {
    note(before.state, event, reaction, world.machine.state)
    exchanges?.append((event, reaction))
    let after = world.machine
    expect(
      reaction.effects.count { $0.vaultUse != .none } <= 1, .oneVaultOperationPerAnswer,
      "two effects want one turn at the vault")
    switch reaction {
    case .transition(let effects): judge(effects, before, event, after, world)
    case .rejected(let reason, let permitted):
      expect(before == after, .everyEventIsAnswered, "a rejection changed the machine")
      guard let command = event.command else {
        return expect(false, .everyEventIsAnswered, "a completion was rejected")
      }
      let isPermitted = before.state.permitted.contains(command)
      expect(
        !isPermitted || isAboutAnotherChallenge(event, before.state), .everyEventIsAnswered,
        "\(command.name) is permitted, but was rejected")
      expect(command != .logOut || reason == .notLoggedIn, .everyLogoutEnds, "a logout was rejected")
      expect(permitted == before.state.permitted, .everyEventIsAnswered, "a rejection permits something else")
    case .ignored(_, let cleanup):
      expect(before == after, .lateResultsChangeNothing, "an ignored event changed the machine")
      expect(event.command == nil, .everyEventIsAnswered, "\(event.name) was ignored, and somebody awaits it")
      expect(
        cleanup.allSatisfy { [.discard, .discardSaved, .withdraw].contains($0.kind) }, .lateResultsChangeNothing,
        "more than clean-up")
      let isAwaited = event.epoch != nil && event.epoch == before.state.awaitedEpoch
      expect(
        !isAwaited || before.state.kind == .loggingOut, .nobodyWaitsForever,
        "\(before.state.shape) goes on after \(event.name)")
      expect(!isAwaitedStep(event, before.state), .everyLogoutEnds, "a logout did not go on at \(event.name)")
    }
  }

  private func judge(
    _ effects: [Effect], _ before: SessionMachine, _ event: SessionEvent, _ after: SessionMachine,
    _ world: borrowing ModelWorld
  ) {
    if let command = event.command {
      let isPermitted = before.state.permitted.contains(command)
      expect(
        !isAboutAnotherChallenge(event, before.state), .lateResultsChangeNothing,
        "\(command.name) of another challenge was taken")
      // A launch and a renewal can be joined, and both rules say so.
      let rule: ModelRule =
        [.logIn, .session(.switchUser), .answer].contains(command) ? .oneWorkAtATime : .everyEventIsAnswered
      expect(isPermitted, rule, "\(command.name) was taken where it is not permitted")
      expect(
        command != .logOut || after.state.kind == .loggingOut, .everyLogoutEnds, "a logout led to \(after.state.shape)")
    } else if let epoch = event.epoch {
      expect(epoch == before.state.awaitedEpoch, .lateResultsChangeNothing, "\(event.name) of another epoch was taken")
    } else if case .limitReached(let record, _) = event {
      expect(record == before.state.session, .lateResultsChangeNothing, "a limit of another record was taken")
    } else if case .recognized(let epoch, let user) = event {
      expect(epoch == before.state.awaitedEpoch, .lateResultsChangeNothing, "the user of a past read was taken")
      let kept = world.vault.token.map(world.authority.lastKnown)
      expect(
        user == kept && after.state.lastKnown == user, .lastKnownUserIsThatOfTheVault,
        "\(after.state.shape), and the vault keeps a token of \(kept?.username ?? "nobody")")
    } else if case .ended(let session, _) = event {
      expect(session == before.state.session?.began, .lateResultsChangeNothing, "the end of another session was taken")
    }
    expect(
      before.state.snapshot == after.state.snapshot || effects.contains(.notify), .everyChangeIsTold,
      "nobody is told of \(after.state.shape)")
    judgeEnd(before.state, event, after.state, world)
    judgeExposure(before.state, after.state, world)
    judgeAccess(before.state.session, after.state)
    expect(
      after.state.kind != .restoring || after.state.lastKnown == before.state.lastKnown || event.name == "recognized",
      .lastKnownUserIsThatOfTheVault, "\(event.name) changed the last known user")
    if case .loggingOut(let old) = before.state, event.command != .logOut {
      let rank = if case .loggingOut(let new) = after.state { new.rank } else { 0 }
      expect(rank < old.rank, .everyLogoutEnds, "a logout did not come nearer to its end at \(event.name)")
    }
    if case .drained = event {
      expect(!(world.gate?.isOpen ?? false), .completeMeansOver, "the leases drained with the keys alive")
    }
  }

  private func isAboutAnotherChallenge(_ event: SessionEvent, _ state: SessionState) -> Bool {
    guard case .command(let command, let token) = event, command == .answer || command == .cancel else { return false }
    return token != state.presentChallenge?.token
  }

  private func isAwaitedStep(_ event: SessionEvent, _ state: SessionState) -> Bool {
    guard case .loggingOut(let state) = state else { return false }
    switch event {
    case .timedOut(let epoch, _): return epoch == state.epoch
    case .drained(let epoch): return epoch == state.epoch && state.step == .draining
    case .revoked(let epoch, _): return epoch == state.epoch && state.step == .revoking
    case .erased(let epoch, _): return epoch == state.epoch && state.step == .erasing
    case .command, .recognized, .restored, .authenticated, .renewed, .saved, .limitReached, .ended: return false
    }
  }

  /// Checks that only the user, a limit, a vault that is proven empty, an explicit rejection or a
  /// replacing session ends a session.
  private func judgeEnd(
    _ before: SessionState, _ event: SessionEvent, _ after: SessionState, _ world: borrowing ModelWorld
  ) {
    guard before.mayHaveSession, after.isOver else { return }
    let oldSession = before.session.map { world.authority.tokens[Int($0.token)].session }
    let isCause: Bool =
      switch event {
      case .command(.logOut, _), .limitReached, .ended, .restored(_, .absent), .restored(_, .ended),
        .renewed(_, .ended):
        true
      case .restored(_, .found(let grant)): before.session.map { !grant.isOfSameSession(as: $0.grant) } ?? true
      case .saved(_, let token, .done): world.authority.tokens[Int(token.number)].session != oldSession
      case .command, .recognized, .restored(_, .obstructed), .authenticated, .renewed, .saved, .drained, .revoked,
        .erased,
        .timedOut:
        false
      }
    expect(isCause, .failuresEndNoSession, "\(event.name) ended a session, or what may be one")
  }

  /// Checks that a session is exposed only if the authority granted it to that user and the vault
  /// holds it.
  private func judgeExposure(_ before: SessionState, _ after: SessionState, _ world: borrowing ModelWorld) {
    guard let record = after.session, before.session?.grant.token != record.grant.token else { return }
    expect(record.grant.user == world.authority.user(of: record), .keysComeFromGrants, "the session is not that user's")
    expect(
      world.authority.tokens[Int(record.token)].wasKept, .keptBeforeShown, "a session was exposed before it was kept")
  }

  /// Checks that a session has only its own access tokens, and loses one only to a newer one.
  private func judgeAccess(_ before: SessionRecord?, _ state: SessionState) {
    let successor = if case .loggingOut(let state) = state { state.successor } else { SessionRecord?.none }
    guard let after = state.session ?? successor else { return }
    expect(
      after.accessToken.map { $0.value == after.grant.id.rawValue } ?? true, .accessTokensStayWithTheirSession,
      "the access token is that of another session")
    expect(
      before?.began != after.began || before?.accessToken == nil || after.accessToken != nil,
      .accessTokensStayWithTheirSession, "a session lost its access token")
  }

  // MARK: A settlement

  func judge(_ settlement: Settlement, _ world: borrowing ModelWorld) {
    let isForeign = world.vault.difference == .foreign
    switch settlement {
    case .logout(_, .complete):
      expect(!(world.gate?.isOpen ?? false), .completeMeansOver, "a logout is complete and a lease may begin")
      expect(world.gate?.leases ?? 0 == 0, .completeMeansOver, "a logout is complete and a lease runs")
      expect(
        world.vault.content == .empty || isForeign, .completeMeansOver,
        "a logout is complete and the vault is not empty")
      let ended = world.lastEnded.map(world.authority.session(of:))
      expect(
        ended.map { $0.end != nil || $0.isExcused } ?? true, .completeMeansOver,
        "a logout is complete and the session lives")
    case .work(_, .success(.loggedIn(let key))):
      expect(
        world.vault.token == key.record.token || isForeign, .memoryAgreesWithVault,
        "success is reported, and another token is kept")
    case .work(_, .success(.challenged(let challenge))):
      expect(
        world.machine.state.presentChallenge == challenge && world.machine.state.waitsForPerson, .nobodyWaitsForever,
        "a challenge is reported that the state does not wait for")
    case .logout, .work, .restore: break
    }
  }
}

/// One gate for all keys of the model, which differ in their records.
private let gate = LeaseGate(clock: ManualClock())

extension SessionState {
  var key: LoggedInSession? { session.map { LoggedInSession($0, gate) } }

  /// The state as observers see it.
  fileprivate var snapshot: SessionSnapshot { SessionSnapshot(self, key) }

  /// The last known user, who is shown again if the work under way fails.
  fileprivate var lastKnown: LastKnownUser? {
    let origin: Authenticating.Origin
    switch self {
    case .restoring(let state): return state.lastKnown
    case .authenticating(let state): origin = state.from
    case .challenged(let state):
      guard case .login(let from) = state.from else { return nil }
      origin = from
    case .loggedOut, .loggedIn, .renewing, .loggingOut: return nil
    }
    return if case .restoring(_, _, let user) = origin { user } else { nil }
  }

  /// Whether there is a session, or it is unknown.
  fileprivate var mayHaveSession: Bool { kind == .restoring || session != nil }

  /// Whether it is known that there is no session, or soon will be none.
  fileprivate var isOver: Bool {
    switch self {
    case .loggedOut, .loggingOut: true
    case .restoring, .authenticating, .challenged, .loggedIn, .renewing: false
    }
  }
}

extension LoggingOut {
  /// The distance to the end, which every step must reduce.
  fileprivate var rank: Int {
    let steps = LoggingOut.Progress.allCases.drop { $0 != step }.count
    return successor == nil ? steps : steps + 3
  }
}

extension SessionEvent {
  var epoch: Epoch? {
    switch self {
    case .restored(let epoch, _), .authenticated(let epoch, _), .renewed(let epoch, _), .saved(let epoch, _, _),
      .drained(let epoch), .revoked(let epoch, _), .erased(let epoch, _), .timedOut(let epoch, _):
      epoch
    case .command, .recognized, .limitReached, .ended: nil
    }
  }
}
