import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("Every step of every command has a time limit")
struct TimeLimitTests {
  /// A step that never ends: the authority or the vault does not answer.
  enum Silence: CaseIterable {
    case restoreReading, restoreAsking, login, loginSaving, userSwitch, switchSaving, password, passwordSaving
    case loginAnswer, passwordAnswer, switchAnswer, renewal, renewalSaving, checkReading, checkAsking

    /// The operation that does not answer.
    var place: (authority: ScriptedAuthority.Operation?, vault: InMemoryVault.Operation?) {
      switch self {
      case .restoreReading, .checkReading: (nil, .load)
      case .restoreAsking, .checkAsking: (.resume, nil)
      case .login, .userSwitch: (.authenticate, nil)
      case .password: (.reauthenticate, nil)
      case .loginAnswer, .passwordAnswer, .switchAnswer: (.answer, nil)
      case .renewal: (.renew, nil)
      case .loginSaving: (nil, .store)
      case .switchSaving, .passwordSaving, .renewalSaving: (nil, .replace)
      }
    }

    var limit: Duration {
      switch self {
      case .login, .userSwitch, .password, .loginAnswer, .passwordAnswer, .switchAnswer: SessionTiming().loginStep
      case .restoreReading, .restoreAsking, .loginSaving, .switchSaving, .passwordSaving, .renewal, .renewalSaving,
        .checkReading, .checkAsking:
        SessionTiming().renewalStep
      }
    }
  }

  /// A command that has started the step.
  private struct Started {
    let store: SessionStore
    let task: Task<Void, any Error>
  }

  private func start(_ silence: Silence, _ world: World) async throws -> Started {
    world.authority.setRotation(true)
    var store = world.store
    var challenge: Challenge?
    switch silence {
    case .login, .loginSaving: break
    case .loginAnswer: challenge = try await world.challengedLogin()
    case .passwordAnswer:
      try await store.loggedIn(World.alice)
      challenge = try await world.challengedPassword()
    case .switchAnswer:
      try await store.loggedIn(World.bob)
      challenge = try await world.challenged { () async throws(SessionError) in
        try await world.store.switchUser(to: World.alice)
      }
    case .restoreReading, .restoreAsking:
      try await store.loggedIn(World.alice)
      store = world.anotherProcess()
    case .userSwitch, .switchSaving, .password, .passwordSaving, .renewal, .renewalSaving, .checkReading, .checkAsking:
      try await store.loggedIn(World.alice)
    }
    if let operation = silence.place.authority { world.authority.hold(operation, at: .answer) }
    if let operation = silence.place.vault { world.vault.hold(operation) }
    let task = Task.immediate { [store, challenge] in
      switch silence {
      case .restoreReading, .restoreAsking:
        if case .obstructed(let failure) = await store.restore() { throw SessionError(failure) }
      case .login, .loginSaving: try await store.loggedIn(World.alice)
      case .userSwitch, .switchSaving: try await store.switched(to: World.bob)
      case .password, .passwordSaving: try await store.reauthenticated(password: World.alice.password)
      case .loginAnswer, .passwordAnswer, .switchAnswer:
        if let challenge { try await store.answered(World.code, to: challenge) }
      case .renewal, .renewalSaving: try await store.renew()
      case .checkReading, .checkAsking: try await store.check()
      }
    }
    if let operation = silence.place.authority { await world.authority.waitUntilHeld(operation, at: .answer) }
    if let operation = silence.place.vault { await world.vault.waitUntilHeld(operation) }
    return Started(store: store, task: task)
  }

  @Test("a step without an answer fails in time, and changes nothing", arguments: Silence.allCases)
  func fails(silence: Silence) async throws {
    let world = World()
    let started = try await start(silence, world)
    let before = started.store.session
    let kept = world.vault.content
    await world.clock.waitForSleepers(1, dueWithin: silence.limit)
    world.clock.advance(by: silence.limit - .seconds(1))
    let second = silence == .restoreAsking ? Task.immediate { await started.store.restore() } : nil
    world.clock.advance(by: .seconds(1))
    let isSaving = [.loginSaving, .switchSaving, .passwordSaving, .renewalSaving].contains(silence)
    await #expect(throws: isSaving ? SessionError.notSaved(.late) : SessionError.unavailable(.late)) {
      try await started.task.value
    }
    if let second { #expect(await second.value == .obstructed(.authority(.late))) }
    #expect(started.store.session == before && before?.isLive != false)

    // A later result is stale: the store revokes a session that it began, and undoes its write.
    world.releaseEverything()
    switch silence {
    case .login, .loginSaving, .loginAnswer: await until { world.authority.liveTokens.isEmpty }
    case .userSwitch, .switchSaving, .switchAnswer: await until { world.vaultAgrees }
    case .restoreReading, .restoreAsking, .password, .passwordSaving, .passwordAnswer, .renewal, .renewalSaving,
      .checkReading, .checkAsking:
      // A grant of the same session was never confirmed, so the session's token still works.
      #expect(world.count(.revoke) == 0)
    }
    await until { world.vault.content == kept }
    if let before {
      #expect(try await started.store.check() == before)
    } else {
      world.authority.setSecondStep(of: "alice", to: nil)
      if case .challenged(let challenge, _) = started.store.state { started.store.cancel(challenge) }
      #expect(try await started.store.loggedIn(World.alice).isLive)
    }
  }

  @Test("the time in which a user types a code is not part of any limit")
  func person() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    world.clock.advance(by: SessionTiming().loginStep * 4)
    #expect(try await world.store.answered(World.code, to: challenge).isLive)
  }

  @Test("a challenge whose answer came too late can be answered again, and the stale result does not end it")
  func answerAgain() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    let wrong = await world.authority.holding(.answer, at: .answer, calls: 1) {
      Task.immediate { try await world.store.answered(Secret("000000"), to: challenge) }
    }
    let epoch = try #require(world.store.core.withLock { $0.machine.state.awaitedEpoch })
    world.clock.advance(by: SessionTiming().loginStep)
    await #expect(throws: SessionError.unavailable(.late)) { try await wrong.value }
    let stale = SessionEvent.authenticated(epoch, .challenged(challenge))
    #expect(world.store.core.send(stale) == .ignored(.otherEpoch))
    world.authority.release(.answer, at: .answer)
    #expect(try await world.store.answered(World.code, to: challenge).isLive)
  }

  @Test("a password check that hangs does not delay a renewal for longer than its limit")
  func renewalAfterHangingPassword() async throws {
    let (world, key) = try await World.withAlice()
    let password = await world.authority.holding(.reauthenticate) {
      Task.immediate { try await world.store.reauthenticated(password: World.alice.password) }
    }
    let renewal = Task.immediate { try await world.store.renew() }
    world.clock.advance(by: SessionTiming().loginStep)
    await #expect(throws: SessionError.unavailable(.late)) { try await password.value }
    #expect(try await renewal.value.id == key.id && key.isLive)
    #expect(world.count(.renew) == 1, "the activity was recorded")
    world.authority.release(.reauthenticate)
  }
}
