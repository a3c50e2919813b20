import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A login in two steps")
struct SecondStepTests {
  private static let wrongCode = Secret("000000")

  /// Requires that the store refuses even the correct answer.
  private func expectOver(_ challenge: Challenge, in world: World) async {
    await #expect(throws: SessionError.rejected(.challengeOver)) {
      try await world.store.answered(World.code, to: challenge)
    }
  }

  @Test("a challenged login gives no access, and the correct answer logs in")
  func login() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    #expect(world.store.state == .challenged(challenge, nil))
    #expect(world.store.session == nil && world.vault.content == .empty && world.authority.liveTokens.isEmpty)
    let result = try await world.store.answered(World.code, to: challenge)
    #expect(world.store.state == .loggedIn(result))
    #expect(result.user.username == "alice" && world.vaultAgrees)
  }

  @Test("a wrong answer leaves the challenge usable while tries are left, and the last one ends it")
  func wrongAnswers() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    var next = challenge
    for triesLeft in [2, 1] {
      guard case .challenged(let again) = try await world.store.answer(Self.wrongCode, to: challenge) else {
        Issue.record("a wrong answer logged in")
        return
      }
      next = again
      #expect(next.token == challenge.token && next.triesLeft == triesLeft)
      #expect(world.store.state == .challenged(next, nil))
    }
    await #expect(throws: SessionError.rejected(.challengeOver)) {
      try await world.store.answered(Self.wrongCode, to: next)
    }
    #expect(world.store.state == .restoring(nil), "the state before the login")
    await expectOver(next, in: world)
    #expect(world.authority.openChallenges.isEmpty && world.authority.liveTokens.isEmpty)
  }

  @Test("an answered challenge has ended, and a later one does not accept its answers")
  func used() async throws {
    let world = World()
    let first = try await world.challengedLogin()
    try await world.store.answered(World.code, to: first)
    await expectOver(first, in: world)
    try await world.store.logOut()
    let second = try await world.challengedLogin()
    await expectOver(first, in: world)
    world.store.cancel(first)
    #expect(world.store.state == .challenged(second, nil))
    try await world.store.answered(World.code, to: second)
  }

  @Test("a cancelled second step leaves nothing of the first one")
  func cancelled() async throws {
    let world = World()
    await world.store.restore()
    let challenge = try await world.challengedLogin()
    #expect(world.authority.openChallenges == [challenge.token])
    world.store.cancel(challenge)
    #expect(world.store.state == .loggedOut(.neverLoggedIn))
    #expect(world.authority.openChallenges.isEmpty)
    await expectOver(challenge, in: world)
    let other = world.anotherProcess()
    #expect(await other.restore() == .loggedOut(.neverLoggedIn))
    #expect(world.authority.liveTokens.isEmpty && world.vault.content == .empty)
  }

  @Test("an answer that arrives after the challenge was cancelled changes nothing, and its session is revoked")
  func lateAnswer() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    let waiter = await world.authority.holding(.answer, at: .answer) {
      Task { try await world.store.answered(World.code, to: challenge) }
    }
    #expect(world.authority.liveTokens.count == 1)
    await #expect(throws: SessionError.rejected(.alreadyInProgress)) {
      try await world.store.answered(World.code, to: challenge)
    }
    world.store.cancel(challenge)
    await #expect(throws: SessionError.rejected(.challengeOver)) { try await waiter.value }
    world.authority.release(.answer, at: .answer)
    await until { world.authority.liveTokens.isEmpty }
    #expect(world.store.session == nil && world.vault.content == .empty)
  }

  @Test("a challenge that arrives after the login was cancelled is withdrawn")
  func lateChallenge() async throws {
    let world = World()
    world.authority.setSecondStep(of: "alice", to: World.code)
    let login = await world.authority.holding(.authenticate, at: .answer) { world.store.beginLogIn(World.alice) }
    #expect(try await world.store.logOut() == .complete)
    await #expect(throws: SessionError.self) { try await login.value() }
    #expect(world.authority.openChallenges.count == 1)
    world.authority.release(.authenticate, at: .answer)
    await until { world.authority.openChallenges.isEmpty }
    #expect(world.store.state == .loggedOut(.ended(.userAsked)))
  }

  @Test("a second login, a switch and a password check must wait for the challenge; a logout need not")
  func otherCommands() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    await #expect(throws: SessionError.rejected(.alreadyInProgress)) { try await world.store.loggedIn(World.bob) }
    await #expect(throws: SessionError.rejected(.alreadyInProgress)) { try await world.store.switched(to: World.bob) }
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await world.store.check() }
    await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await world.store.renew() }
    #expect(await world.store.restore() == .overtaken)
    #expect(world.store.state == .challenged(challenge, nil))
    try await world.store.logOut()
    #expect(world.authority.openChallenges.isEmpty)
  }

  @Test("a challenged password check leaves the session usable, and the correct answer makes it fresh")
  func password() async throws {
    let (world, key) = try await World.withAlice()
    world.clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(key) }
    let challenge = try await world.challengedPassword()
    #expect(world.store.state == .challenged(challenge, key) && world.store.session == key)
    #expect(try key.withLease { lease in lease.user.username } == "alice")
    await #expect(throws: SessionError.rejected(.alreadyInProgress)) { try await world.store.renew() }
    await #expect(throws: SessionError.rejected(.alreadyLoggedIn)) { try await world.store.loggedIn(World.bob) }
    let screen = try #require(world.store.open(Screen.self))
    let result = try await world.store.answered(World.code, to: challenge)
    #expect(result.id == key.id && key.isLive)
    _ = try FreshSession(result)
    #expect(screen.told == ["follow alice"] && world.vaultAgrees)
  }

  @Test("a cancelled, a wrong and an expired second step do not change the session", arguments: [0, 1, 2])
  func passwordFails(_ way: Int) async throws {
    let (world, key) = try await World.withAlice()
    let kept = world.vault.content
    let challenge = try await world.challengedPassword()
    switch way {
    case 0: world.store.cancel(challenge)
    case 1:
      for _ in 1...3 { _ = try? await world.store.answer(Self.wrongCode, to: challenge) }
    default: world.clock.advance(by: .seconds(300))
    }
    await until { world.store.state == .loggedIn(key) }
    #expect(key.isLive && world.vault.content == kept && world.authority.openChallenges.isEmpty)
  }

  @Test("the end of a session ends its challenge")
  func endOfSession() async throws {
    let (world, key) = try await World.withAlice()
    let challenge = try await world.challengedPassword()
    world.store.reportEnded(key, because: .revoked)
    await until { world.store.state == .loggedOut(.ended(.revoked)) }
    #expect(world.authority.openChallenges.isEmpty)
    await expectOver(challenge, in: world)
  }

  @Test("a switch of users in two steps replaces the session only after the correct answer")
  func switchUser() async throws {
    let world = World()
    let bob = try await world.store.loggedIn(World.bob)
    let challenge = try await world.challenged { () async throws(SessionError) in
      try await world.store.switchUser(to: World.alice)
    }
    #expect(bob.isLive && world.store.state == .challenged(challenge, bob))
    _ = try await bob.withLease { (_: borrowing SessionLease) async throws in
      await #expect(throws: SessionError.insideLease) { try await world.store.answered(World.code, to: challenge) }
    }
    let result = try await world.store.answered(World.code, to: challenge)
    #expect(result.user.username == "alice" && world.store.leftovers == .none)
    #expect(bob.endReason == .switchedUser && world.vaultAgrees)
  }

  @Test("the deadline of a challenge ends it, with a timer and without", arguments: [true, false])
  func deadline(watchesLimits: Bool) async throws {
    let world = World(timing: SessionTiming(watchesLimits: watchesLimits))
    let challenge = try await world.challengedLogin()
    world.clock.advance(by: .seconds(299))
    #expect(world.store.state == .challenged(challenge, nil))
    world.clock.advance(by: .seconds(1))
    if watchesLimits { await until { world.store.state == .restoring(nil) } }
    await expectOver(challenge, in: world)
    #expect(world.store.state == .restoring(nil) && world.authority.openChallenges.isEmpty)
    #expect(world.count(.answer) == 0)
  }

  @Test("an answer that was not checked uses up no try, and can be repeated")
  func unavailable() async throws {
    let world = World()
    let challenge = try await world.challengedLogin()
    for (fault, failure) in [
      (ScriptedAuthority.Fault.unavailable(World.offline), SessionError.unavailable(World.offline)),
      (.throttled(.wait(.seconds(30))), .throttled(.wait(.seconds(30)))),
    ] {
      world.authority.fail(.answer, with: fault)
      await #expect(throws: failure) { try await world.store.answered(World.code, to: challenge) }
      #expect(world.store.state == .challenged(challenge, nil))
    }
    world.authority.fail(.answer, with: nil)
    #expect(try await world.store.answered(World.code, to: challenge).isLive)
  }

  @Test("a check during an answer waits for its end")
  func checkDuringAnswer() async throws {
    let (world, _) = try await World.withAlice()
    let challenge = try await world.challengedPassword()
    let answer = await world.authority.holding(.answer) {
      Task { try await world.store.answered(World.code, to: challenge) }
    }
    let check = Task { try await world.store.check() }
    await Task.yield()
    world.authority.release(.answer)
    let session = try await answer.value
    #expect(try await check.value.id == session.id)
  }

  /// The action of another process, if any, while the user enters a code.
  enum Elsewhere: CaseIterable {
    case nothing, revoked, loggedOut, anotherUser, offline, silent

    var failure: SessionError? {
      switch self {
      case .nothing: nil
      case .revoked: .ended(.revoked)
      case .loggedOut: .ended(.userAsked)
      case .anotherUser: .ended(.switchedUser)
      case .offline: .unavailable(World.offline)
      case .silent: .unavailable(.late)
      }
    }
  }

  @Test("a check finds the end of a session even while its second step waits", arguments: Elsewhere.allCases)
  func checkWhileWaiting(elsewhere: Elsewhere) async throws {
    let (world, key) = try await World.withAlice()
    let screen = try #require(world.store.open(Screen.self))
    let token = try #require(world.authority.liveTokens.first)
    let challenge = try await world.challengedPassword()
    switch elsewhere {
    case .nothing: break
    case .revoked: world.authority.end(token, .revoked)
    case .loggedOut: world.vault.content = .empty
    case .anotherUser:
      let bobs = try await world.authority.authenticate(World.bob, limits: .standard).grant
      world.vault.content = .token(try #require(bobs).token)
    case .offline: world.authority.fail(.resume, with: .unavailable(World.offline))
    case .silent: world.authority.hold(.resume)
    }
    let check = Task.immediate { try await world.store.check() }
    if elsewhere == .silent {
      await world.clock.waitForSleepers(1, dueWithin: .seconds(30))
      world.clock.advance(by: .seconds(30))
    }
    if let failure = elsewhere.failure {
      await #expect(throws: failure) { try await check.value }
    } else {
      #expect(try await check.value == key)
    }
    switch elsewhere {
    case .nothing, .offline, .silent:
      #expect(world.store.state == .challenged(challenge, key) && screen.told == [])
    case .revoked, .loggedOut, .anotherUser:
      #expect(!key.isLive && screen.told.count == 1 && world.authority.openChallenges.isEmpty)
      #expect(!world.authority.liveTokens.contains(token))
    }
    world.authority.release(.resume)
  }

  @Test("a released store withdraws its challenge")
  func storeGoes() async throws {
    let world = World()
    world.authority.setSecondStep(of: "alice", to: World.code)
    var store: SessionStore? = world.anotherProcess()
    _ = try? await store?.logIn(World.alice)
    #expect(world.authority.openChallenges.count == 1)
    store = nil
    await until { world.authority.openChallenges.isEmpty }
  }
}
