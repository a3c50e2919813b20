import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("Every step of every command has a time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests: InWorld {
  let world = World()

  /// A command, and an operation of the authority or the vault that never answers in it.
  struct Silence {
    let command: SessionCommand
    /// The first step, if the command is an answer.
    var first = World.FirstStep.login
    var authority: ScriptedAuthority.Operation?
    var vault: InMemoryVault.Operation?

    var limit: Duration {
      switch authority {
      case .authenticate, .reauthenticate, .answer: SessionTiming().loginStep
      case .resume, .renew, .confirm, .revoke, nil: SessionTiming().renewalStep
      }
    }

    static let all: [Silence] =
      [
        Silence(command: .restore, vault: .load), Silence(command: .restore, authority: .resume),
        Silence(command: .logIn, authority: .authenticate), Silence(command: .logIn, vault: .store),
        Silence(command: .session(.check), vault: .load),
      ] + Request.asking.map { Silence(command: .session($0), authority: $0.operation) }
      + Request.saving.map { Silence(command: .session($0), vault: .replace) }
      + World.FirstStep.allCases.map { Silence(command: .answer, first: $0, authority: .answer) }
  }

  @Test("a step without an answer fails in time, and changes nothing", arguments: Silence.all)
  func fails(silence: Silence) async throws {
    // Starts the command, and waits until it reaches the operation.
    authority.setRotation(true)
    let challenge = silence.command == .answer ? try await world.challenged(by: silence.first) : nil
    if silence.command != .answer && silence.command != .logIn { try await store.loggedIn(World.alice) }
    let store = silence.command == .restore ? world.anotherProcess() : world.store
    if let operation = silence.authority { authority.hold(operation, at: .end) }
    if let operation = silence.vault { vault.hold(operation) }
    let task = Task.immediate { try await silence.command.send(store, answering: challenge) }
    if let operation = silence.authority { await authority.waitUntilHeld(operation, at: .end) }
    if let operation = silence.vault { await vault.waitUntilHeld(operation) }

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
    switch (silence.command, silence.first) {
    case (.logIn, _), (.answer, .login): await until { authority.liveTokens.isEmpty }
    case (.session(.switchUser), _), (.answer, .userSwitch): await until { world.vaultAgrees }
    // A grant of the same session was never confirmed, so the session's token still works.
    case (.restore, _), (.answer, .password), (.session, _), (.cancel, _), (.logOut, _):
      #expect(world.count(.revoke) == 0)
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

  @Test("a challenge whose answer came too late can be answered again, and the stale result does not end it")
  func answerAgain() async throws {
    let challenge = try await world.challenged()
    let wrong = await authority.holding(.answer, at: .end, calls: 1) {
      Task.immediate { try await store.answer(Secret("000000"), to: challenge).key }
    }
    let epoch = try #require(store.core.withLock { $0.machine.state.awaitedEpoch })
    clock.advance(by: SessionTiming().loginStep)
    await #expect(throws: SessionError.unavailable(.late)) { try await wrong.value }
    let stale = SessionEvent.answered(epoch, .challenged(challenge))
    #expect(store.core.send(stale) == .ignored(.otherEpoch))
    authority.release(.answer, at: .end)
    #expect(try await store.answer(World.code, to: challenge).key.isLive)
  }
}
