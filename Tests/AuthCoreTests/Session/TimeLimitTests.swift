import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("Every step of every command has a time limit")
struct TimeLimitTests: InWorld {
  let world = World()

  /// A command, and an operation of the authority or the vault that never answers in it.
  struct Silence {
    enum Command: Equatable { case restore, login, userSwitch, password, answer(World.FirstStep), renewal, check }

    let command: Command
    var authority: ScriptedAuthority.Operation?
    var vault: InMemoryVault.Operation?

    var limit: Duration {
      switch authority {
      case .authenticate, .reauthenticate, .answer: SessionTiming().loginStep
      case .resume, .renew, .confirm, .revoke, nil: SessionTiming().renewalStep
      }
    }

    static let all =
      [
        Silence(command: .restore, vault: .load), Silence(command: .restore, authority: .resume),
        Silence(command: .login, authority: .authenticate), Silence(command: .login, vault: .store),
        Silence(command: .userSwitch, authority: .authenticate), Silence(command: .userSwitch, vault: .replace),
        Silence(command: .password, authority: .reauthenticate), Silence(command: .password, vault: .replace),
        Silence(command: .renewal, authority: .renew), Silence(command: .renewal, vault: .replace),
        Silence(command: .check, vault: .load), Silence(command: .check, authority: .resume),
      ] + World.FirstStep.allCases.map { Silence(command: .answer($0), authority: .answer) }
  }

  /// Starts the command, and waits until it reaches the operation.
  private func start(_ silence: Silence) async throws -> (store: SessionStore, task: Task<Void, any Error>) {
    authority.setRotation(true)
    var challenge: Challenge?
    switch silence.command {
    case .login: break
    case .answer(let step): challenge = try await world.challenged(by: step)
    case .restore, .userSwitch, .password, .renewal, .check: try await store.loggedIn(World.alice)
    }
    let store = silence.command == .restore ? world.anotherProcess() : world.store
    if let operation = silence.authority { authority.hold(operation, at: .answer) }
    if let operation = silence.vault { vault.hold(operation) }
    let task = Task.immediate { [challenge] in
      switch silence.command {
      case .restore: if case .obstructed(let failure) = await store.restore() { throw SessionError(failure) }
      case .login: try await store.loggedIn(World.alice)
      case .userSwitch: try await store.switched(to: World.bob)
      case .password: try await store.reauthenticated(password: World.alice.password)
      case .answer: try await store.answered(World.code, to: #require(challenge))
      case .renewal: try await store.renew()
      case .check: try await store.check()
      }
    }
    if let operation = silence.authority { await authority.waitUntilHeld(operation, at: .answer) }
    if let operation = silence.vault { await vault.waitUntilHeld(operation) }
    return (store, task)
  }

  @Test("a step without an answer fails in time, and changes nothing", arguments: Silence.all)
  func fails(silence: Silence) async throws {
    let (store, task) = try await start(silence)
    let (before, saved) = (store.session, vault.content)
    await clock.waitForSleepers(1, dueWithin: silence.limit)
    clock.advance(by: silence.limit - .seconds(1))
    let second = silence.command == .restore ? Task.immediate { await store.restore() } : nil
    clock.advance(by: .seconds(1))
    let isSaving = silence.vault == .store || silence.vault == .replace
    await #expect(throws: isSaving ? SessionError.notSaved(.late) : SessionError.unavailable(.late)) {
      try await task.value
    }
    if let second { #expect(await second.value == .obstructed(.authority(.late))) }
    #expect(store.session == before && before?.isLive != false)

    // A later result is stale: the store revokes a session that it began, and undoes its write.
    world.releaseEverything()
    switch silence.command {
    case .login, .answer(.login): await until { authority.liveTokens.isEmpty }
    case .userSwitch, .answer(.userSwitch): await until { world.vaultAgrees }
    // A grant of the same session was never confirmed, so the session's token still works.
    case .restore, .password, .answer(.password), .renewal, .check: #expect(world.count(.revoke) == 0)
    }
    await until { vault.content == saved }
    if let before {
      #expect(try await store.check() == before)
    } else {
      authority.setSecondStep(of: "alice", to: nil)
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      #expect(try await store.loggedIn(World.alice).isLive)
    }
  }

  @Test("the time in which a user types a code is not part of any limit")
  func person() async throws {
    let challenge = try await world.challenged()
    clock.advance(by: SessionTiming().loginStep * 4)
    #expect(try await store.answered(World.code, to: challenge).isLive)
  }

  @Test("a challenge whose answer came too late can be answered again, and the stale result does not end it")
  func answerAgain() async throws {
    let challenge = try await world.challenged()
    let wrong = await authority.holding(.answer, at: .answer, calls: 1) {
      Task.immediate { try await store.answered(Secret("000000"), to: challenge) }
    }
    let epoch = try #require(store.core.withLock { $0.machine.state.awaitedEpoch })
    clock.advance(by: SessionTiming().loginStep)
    await #expect(throws: SessionError.unavailable(.late)) { try await wrong.value }
    let stale = SessionEvent.authenticated(epoch, .challenged(challenge))
    #expect(store.core.send(stale) == .ignored(.otherEpoch))
    authority.release(.answer, at: .answer)
    #expect(try await store.answered(World.code, to: challenge).isLive)
  }

  @Test("a password check that hangs does not delay a renewal for longer than its limit")
  func renewalAfterHangingPassword() async throws {
    let key = try await logInAlice()
    let password = await authority.holding(.reauthenticate) {
      Task.immediate { try await store.reauthenticated(password: World.alice.password) }
    }
    let renewal = Task.immediate { try await store.renew() }
    clock.advance(by: SessionTiming().loginStep)
    await #expect(throws: SessionError.unavailable(.late)) { try await password.value }
    #expect(try await renewal.value.id == key.id && key.isLive)
    #expect(world.count(.renew) == 1, "the activity was recorded")
    authority.release(.reauthenticate)
  }
}
