import Programs
import Testing

@testable import AuthCore

/// Tests the checker itself: it must find each of these bugs, with the shortest script.
@Suite(.timeLimit(.minutes(240))) struct MutantTests {
  static let mutants: [Mutant] = [
    .mistaking("the fence around a late login is missing", breaks: .lateResultsChangeNothing) { state, event in
      guard case .answered(_, let outcome) = event, case .authenticating(let state) = state else { return nil }
      return .answered(state.epoch, outcome)
    },
    .mistaking("the epoch of a renewal is compared by order, not by equality", breaks: .lateResultsChangeNothing) {
      state, event in
      guard case .answered(let epoch, let outcome) = event, let awaited = state.awaitedEpoch,
        epoch.number <= awaited.number
      else { return nil }
      return .answered(awaited, outcome)
    },
    .mistaking("a notice about a past session is taken for the present one", breaks: .lateResultsChangeNothing) {
      $0.presentLimit($1) { $0.began != $1.began }
    },
    .mistaking("a limit from before a renewal ends the renewed session", breaks: .lateResultsChangeNothing) {
      $0.presentLimit($1) { $0.began == $1.began }
    },
    Mutant("a logout during a renewal is silently dropped", breaks: .everyEventIsAnswered) { machine, event in
      guard case .renewing = machine.state, event.command == .logOut else { return nil }
      return .ignored(.otherEpoch)
    },
    Mutant("a second login is accepted", breaks: .oneWorkAtATime) { machine, event in
      guard case .authenticating(let state) = machine.state, event.command == .logIn else { return nil }
      return machine.stray { epoch in
        (.authenticating(Authenticating(epoch: epoch, saving: nil, from: state.from)), [.authenticate(epoch), .notify])
      }
    },
    .skipping(.drain, "the leases are not waited for", breaks: .completeMeansOver) { .drained($0) },
    .skipping(.revoke, "the session is not revoked", breaks: .lateResultsChangeNothing) { .revoked($0, true) },
    .skipping(.erase, "the token is not erased", breaks: .memoryAgreesWithVault) { .erased($0, .none) },
    .without(.closeKeys, "the keys are not closed", breaks: .completeMeansOver),
    .without(.discard, "a late grant is not given back", breaks: .lateResultsChangeNothing) { !$2.isTransition },
    .without(.discard, "the grant of a switch that failed is not given back", breaks: .lateResultsChangeNothing) {
      $2.isTransition
    },
    .without(.confirm, "the authority is not told that a new token is kept", breaks: .savedTokensAreConfirmed),
    .without(.notify, "nobody is told", breaks: .everyChangeIsTold),
    Mutant("a session is exposed before it is kept", breaks: .keptBeforeShown) { machine, event in
      guard case .authenticating(let state) = machine.state,
        case .answered(state.epoch, .granted(let grant)) = event
      else { return nil }
      let session = SessionRecord(grant, began: state.epoch)
      return machine.stray { (.loggedIn(LoggedIn(session: session)), [.save($0, grant), .notify]) }
    },
    Mutant("a session is exposed for another user", breaks: .keysComeFromGrants) { machine, event in
      guard case .authenticating(let state) = machine.state, case .saved(state.epoch, _, .done) = event,
        let record = state.saving
      else { return nil }
      let stranger = User(
        id: UserID(rawValue: "mallory"), username: "mallory", displayName: "mallory", role: .administrator)
      let grant = Grant(id: record.grant.id, user: stranger, token: record.grant.token, limits: record.grant.limits)
      return machine.stray { _ in (.loggedIn(LoggedIn(session: SessionRecord(grant, began: record.began))), [.notify]) }
    },
    Mutant("a new token is kept twice", breaks: .oneVaultOperationPerAnswer) { machine, event in
      machine.handle(event).mapping { effects in
        effects.flatMap { if case .save = $0 { [$0, $0] } else { [$0] } }
      }
    },
    Mutant("a new token is confirmed before it is kept", breaks: .crashesLoseNothing) { machine, event in
      machine.handle(event).mapping { effects in
        guard case .exchange = effects.first, case .renewing(let state) = machine.state,
          case .saving(let record) = state.step
        else { return effects }
        return [.confirm(record)] + effects
      }
    },
    Mutant("a renewal keeps its token whatever the vault holds", breaks: .overStaysOver) { machine, event in
      machine.handle(event).mapping { effects in
        effects.map { if case .exchange(let epoch, _, let new) = $0 { .save(epoch, new) } else { $0 } }
      }
    },
    .ignoring(
      { .revoked($0, false) }, in: .loggingOut, "a logout waits for ever for a revocation that fails",
      breaks: .everyLogoutEnds),
    Mutant("a logout asks again and again for a revocation that fails", breaks: .everyLogoutEnds) { machine, event in
      guard case .loggingOut(let state) = machine.state, event == .revoked(state.epoch, false),
        let targets = state.targets
      else { return nil }
      return machine.stray { epoch in
        let again = LoggingOut(
          epoch: epoch, step: .revoking, reason: state.reason, targets: targets, sweeping: false, revoking: true,
          successor: nil, leftovers: .none)
        return (.loggingOut(again), [.revoke(epoch, targets, state.reason)])
      }
    },
    Mutant("a logout during a switch waits for the switch", breaks: .nobodyWaitsForever) { machine, event in
      guard case .loggingOut(let state) = machine.state, state.successor != nil, event == .command(.logOut)
      else { return nil }
      return machine.stray { _ in (.loggingOut(state), []) }
    },
    .ignoring(
      { .answered($0, .failed) }, in: .renewing, "a renewal that does not end in time goes on for ever",
      breaks: .nobodyWaitsForever),
    .ignoring(
      { .answered($0, .failed) }, in: .authenticating, "a login that does not end in time goes on for ever",
      breaks: .nobodyWaitsForever),
    Mutant("the stale result of an answer withdraws the present challenge", breaks: .lateResultsChangeNothing) {
      machine, event in
      guard case .challenged(let state) = machine.state, case .answered(let epoch, _) = event,
        epoch != state.epoch
      else { return nil }
      return .stale(event)
    },
    Mutant("the late answer to a renewal of the live session is revoked", breaks: .lateResultsChangeNothing) {
      machine, event in
      guard case .loggedIn = machine.state, case .answered = event else { return nil }
      return .stale(event)
    },
    .mistaking("a renewal that could not be asked for ends the session", breaks: .failuresEndNoSession) { _, event in
      guard case .answered(let epoch, .failed) = event else { return nil }
      return .answered(epoch, .ended(.revoked))
    },
    .mistaking("a vault that cannot be read is taken for an empty one", breaks: .failuresEndNoSession) { _, event in
      guard case .restored(let epoch, .obstructed) = event else { return nil }
      return .restored(epoch, .absent)
    },
    .without(.withdraw, "a late challenge is not withdrawn", breaks: .cancelledStepsLeaveNothing) { !$2.isTransition },
    .without(.withdraw, "a cancelled challenge is not withdrawn", breaks: .cancelledStepsLeaveNothing) {
      $2.isTransition
    },
    .mistaking("an answer to another challenge is taken for the present one", breaks: .lateResultsChangeNothing) {
      state, event in
      guard event.command == .answer, let challenge = state.presentChallenge else { return nil }
      return .command(.answer, about: .challenge(challenge.token))
    },
    Mutant("a second answer is accepted", breaks: .oneWorkAtATime) { machine, event in
      guard case .challenged(let state) = machine.state,
        event == .command(.answer, about: .challenge(state.challenge.token)),
        state.step == .answering
      else { return nil }
      return machine.stray { epoch in
        let answering = Challenged(challenge: state.challenge, epoch: epoch, step: .answering, from: state.from)
        return (.challenged(answering), [.answer(epoch, state.challenge, for: state.reauthenticated)])
      }
    },
    .ignoring(
      { .timedOut($0, leases: 0) }, in: .challenged, "a challenge outlives its time", breaks: .nobodyWaitsForever),
    Mutant("a cancelled second step ends the session", breaks: .failuresEndNoSession) { machine, event in
      guard case .challenged(let state) = machine.state, state.session != nil,
        event == .command(.cancel, about: .challenge(state.challenge.token))
      else { return nil }
      let effects = [Effect.withdraw(state.challenge), .notify]
      return machine.stray { _ in (.loggedOut(LoggedOut(reason: .neverLoggedIn)), effects) }
    },
    Mutant("a challenge keeps its session from being renewed", breaks: .everyEventIsAnswered) { machine, event in
      guard case .challenged(let state) = machine.state, state.session != nil, event.command == .session(.renew),
        !machine.isReleased
      else { return nil }
      return .rejected(.alreadyInProgress)
    },
    Mutant("a renewal forgets the challenge beside it", breaks: .cancelledStepsLeaveNothing) { machine, event in
      let before = machine.state.waitingChallenge
      let reaction = machine.handle(event)
      guard before != nil, case .renewing(let state) = machine.state, state.beside != nil else { return reaction }
      let forgetful = Renewing(
        session: state.session, purpose: state.purpose, epoch: state.epoch, step: state.step, beside: nil)
      return machine.stray { _ in (.renewing(forgetful), reaction.effects) }
    },
    Mutant("a challenge beside a renewal outlives its time", breaks: .nobodyWaitsForever) { machine, event in
      guard case .renewing(let state) = machine.state, let beside = state.beside else { return nil }
      return event == .timedOut(beside.epoch, leases: 0) ? .ignored(.otherEpoch) : nil
    },
    .without(.notify, "the wait for a person tells nobody", breaks: .everyChangeIsTold) { state, _, _ in
      state.kind == .challenged
    },
    Mutant("a check forgets the access token", breaks: .sessionsKeepTheirRecord) { machine, event in
      guard case .renewing(let state) = machine.state, case .restored(state.epoch, .found(let grant)) = event,
        grant.isOfSameSession(as: state.session.grant), state.beside == nil
      else { return nil }
      let session = SessionRecord(grant, began: state.session.began)
      return machine.stray { _ in (.loggedIn(LoggedIn(session: session)), [.notify]) }
    },
    .mistaking("the next user gets the access token of the one before", breaks: .sessionsKeepTheirRecord) {
      state, event in
      guard case .renewing(let state) = state, case .restored(let epoch, .found(let grant)) = event else { return nil }
      let mixed = Grant(
        id: grant.id, user: grant.user, token: grant.token, limits: grant.limits,
        accessToken: state.session.accessToken)
      return .restored(epoch, .found(mixed))
    },
    Mutant("a failed read forgets the last known user", breaks: .lastKnownUserIsThatOfTheVault) { machine, event in
      guard case .restoring(let state) = machine.state, let reading = state.reading,
        case .restored(reading, .obstructed(let obstacle)) = event
      else { return nil }
      let forgetful = Restoring(reading: nil, obstacle: obstacle, previously: state.previously, lastKnown: nil)
      return machine.stray { _ in (.restoring(forgetful), [.notify]) }
    },
    Mutant("the last known user stays when another one is found", breaks: .lastKnownUserIsThatOfTheVault) {
      machine, event in
      guard case .restoring(let state) = machine.state, case .recognized = event, state.lastKnown != nil
      else { return nil }
      return machine.stray { _ in (.restoring(state), [.notify]) }
    },
    .without(.notify, "the last known user appears without a notification", breaks: .everyChangeIsTold) { _, event, _ in
      event.name == "recognized"
    },
    .renaming(.logOut, "a logout ends another session than the caller named"),
    .renaming(.session(.switchUser), "a switch replaces another session than the caller named"),
    .renaming(.session(.reauthenticate), "the password of one user is checked for another"),
    .renaming(.session(.renew), "the activity of one user renews the session of another"),
    .outside(.logOut, "a logout inside a lease waits for itself"),
    .outside(.session(.switchUser), "a switch of users inside a lease waits for itself"),
    .outside(.answer, "the second step of a switch inside a lease waits for itself"),
    .outside(.session(.check), "a check inside a lease waits for the switch that waits for the lease"),
    Mutant("a check does not wait for the session of the next user", breaks: .everyEventIsAnswered) { machine, event in
      guard case .loggingOut = machine.state, event.command == .session(.check), !machine.isReleased else { return nil }
      return .rejected(.logoutInProgress)
    },
    Mutant("each of many waiting checks asks for itself", breaks: .everyEventIsAnswered) { machine, event in
      guard case .renewing(let state) = machine.state, state.purpose == .check, event.command == .session(.check),
        !machine.isReleased
      else { return nil }
      return .rejected(.renewalInProgress)
    },
    Mutant("a check joins one that began before its call", breaks: .everyEventIsAnswered) { machine, event in
      guard case .renewing(let state) = machine.state, state.purpose == .check, event.command == .session(.check),
        !machine.isReleased
      else { return nil }
      return .transition([])
    },
    Mutant("a store that was released takes commands", breaks: .nobodyWaitsForever) { machine, event in
      guard machine.isReleased, event.command != nil else { return nil }
      var unaware = SessionMachine(in: machine.state, after: machine.lastEpoch)
      let reaction = unaware.handle(event)
      machine = SessionMachine(in: unaware.state, after: unaware.lastEpoch, isReleased: true)
      return reaction
    },
    Mutant("a challenge that arrives after the release of the store waits", breaks: .cancelledStepsLeaveNothing) {
      machine, event in
      guard machine.isReleased, case .answered(_, .challenged) = event else { return nil }
      return machine.handle(event).mapping { $0.filter { $0.kind != .withdraw } }
    },
    .without(.closeKeys, "the keys outlive their store", breaks: .completeMeansOver) { _, event, _ in
      event == .released
    },
    .without(.withdraw, "a challenge outlives its store", breaks: .cancelledStepsLeaveNothing) { _, event, _ in
      event == .released
    },
    .mistaking("a token that another process exchanged is taken for the end", breaks: .failuresEndNoSession) {
      _, event in
      guard case .answered(let epoch, .superseded) = event else { return nil }
      return .answered(epoch, .ended(.revoked))
    },
  ]

  @Test("every rule has a mutant that breaks it", arguments: ModelRule.allCases)
  func isBroken(_ rule: ModelRule) {
    #expect(Self.mutants.contains { $0.rule == rule })
  }

  @Test("the checker finds every mutant, and reports the rule that it breaks", arguments: Effort.sample(mutants, 10))
  func isFound(_ mutant: Mutant) throws {
    let budget = ModelBudget()
    let worlds = ModelWorld.launches(budget) + ModelPrologue.sessions(budget, mutant.handle)
    let report = ModelChecker(handle: mutant.handle, worlds: worlds, mostVisited: 100_000).explore()
    let violation = try #require(
      report.violation, "not found within the bound: let the mutant act nearer to a prologue; \(report)")
    let script = try #require(report.script)
    // In `make test` a word such as BROKEN would look like a failure.
    if Effort.isComplete { print("mutant: \(mutant)\n\(script)\nfound after \(report.transitions) transitions\n") }
    #expect(violation.rule == mutant.rule, "\(script)")
    #expect(script.hasSuffix("BROKEN \(violation)"))
  }
}
