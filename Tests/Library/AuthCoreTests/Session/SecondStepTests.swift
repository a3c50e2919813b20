import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A login in two steps", .timeLimit(.minutes(10)))
struct SecondStepTests: InWorld {
  let world = World()

  private static let wrongCode = Secret("000000")

  /// Requires that the store refuses even the correct answer.
  private func expectOver(_ challenge: Challenge, in other: World? = nil) async {
    await #expect(throws: SessionError.rejected(.challengeOver)) {
      try await (other ?? world).store.answer(World.code, to: challenge).key
    }
  }

  @Test("a challenged login gives no access, and the correct answer logs in once, to no later challenge")
  func login() async throws {
    let first = try await world.challenged()
    #expect(store.state == .challenged(first, nil) && store.session == nil)
    #expect(vault.content == .empty && authority.liveTokens.isEmpty)
    #expect(await store.restore() == .overtaken)
    let key = try await store.answer(World.code, to: first).key
    #expect(store.state == .loggedIn(key) && key.user.username == "alice" && world.vaultAgrees)
    await expectOver(first)
    try await store.logOutAnyone()
    let second = try await world.challenged()
    await expectOver(first)
    store.cancel(first)
    #expect(store.state == .challenged(second, nil))
    _ = try await store.answer(World.code, to: second).key
  }

  /// The ends of a challenge without the correct answer.
  enum End: CaseIterable { case cancelled, wrong, expired }

  @Test(
    "a cancelled, a wrong and an expired second step restore the state before the first step, and leave nothing",
    arguments: World.FirstStep.allCases, End.allCases)
  func unanswered(step: World.FirstStep, end: End) async throws {
    let challenge = try await world.challenged(by: step)
    let (key, saved) = (store.session, vault.content)
    #expect(authority.openChallenges == [challenge.token])
    switch end {
    case .cancelled: store.cancel(challenge)
    case .wrong:
      for triesLeft in [2, 1] {
        let again = try await store.answer(Self.wrongCode, to: challenge)
        guard case .challenged(let next) = again else { throw SessionError.overtaken }
        #expect(next.token == challenge.token && next.triesLeft == triesLeft)
        #expect(store.state == .challenged(next, key))
      }
      await #expect(throws: SessionError.rejected(.challengeOver)) {
        try await store.answer(Self.wrongCode, to: challenge).key
      }
    case .expired:
      clock.advance(by: .seconds(299))
      #expect(store.state == .challenged(challenge, key))
      clock.advance(by: .seconds(1))
    }
    await until { store.state == key.map { .loggedIn($0) } ?? .restoring(nil) }
    await expectOver(challenge)
    #expect(key?.isLive != false && vault.content == saved)
    // The store withdraws it at the authority after the state has changed.
    await until { authority.openChallenges.isEmpty }
    #expect(authority.liveTokens.count == (key == nil ? 0 : 1))
    #expect(world.count(.answer) == (end == .wrong ? 3 : 0))
    #expect(await world.anotherProcess().restore().key?.id == key?.id)
  }

  @Test("an answer that arrives after the challenge was cancelled changes nothing, and its session is revoked")
  func lateAnswer() async throws {
    let challenge = try await world.challenged()
    let waiter = await authority.holding(.answer, at: .end) {
      Task { try await store.answer(World.code, to: challenge).key }
    }
    #expect(authority.liveTokens.count == 1)
    await #expect(throws: SessionError.rejected(.alreadyInProgress)) {
      try await store.answer(World.code, to: challenge).key
    }
    store.cancel(challenge)
    await #expect(throws: SessionError.rejected(.challengeOver)) { try await waiter.value }
    authority.release(.answer, at: .end)
    await until { authority.liveTokens.isEmpty }
    #expect(store.session == nil && vault.content == .empty)
  }

  @Test("a challenged password check leaves the session usable, and the correct answer makes it fresh")
  func password() async throws {
    let key = try await logInAlice()
    clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(key) }
    let challenge = try await world.challenged(by: .password)
    #expect(store.state == .challenged(challenge, key) && store.session == key)
    #expect(try key.withLease { lease in lease.user.username } == "alice")
    #expect(try await store.renew() == store.session)
    await #expect(throws: SessionError.rejected(.alreadyLoggedIn)) { try await store.loggedIn(World.bob) }
    let screen = try #require(store.open(Screen.self))
    let result = try await store.answer(World.code, to: challenge).key
    #expect(result.id == key.id && key.isLive)
    #expect(try FreshSession(key).session == result, "each key of the session is fresh")
    #expect(screen.told == ["follow alice"] && world.vaultAgrees)
  }

  @Test("a switch of users in two steps replaces the session only after the correct answer")
  func switchUser() async throws {
    let bob = try await store.loggedIn(World.bob)
    let challenge = try await world.challenged(by: .userSwitch)
    #expect(bob.isLive && store.state == .challenged(challenge, bob))
    _ = try await bob.withLease { (_: borrowing SessionLease) async throws in
      await #expect(throws: SessionError.insideLease) { try await store.answer(World.code, to: challenge).key }
    }
    let result = try await store.answer(World.code, to: challenge).key
    #expect(result.user.username == "alice" && store.leftovers == .none)
    #expect(bob.endReason == .switchedUser && world.vaultAgrees)
  }

  @Test(
    "while the session is renewed or checked, a cancellation and a logout end the challenge, and an answer waits",
    arguments: [Request.renew, .check])
  func duringWork(request: Request) async throws {
    let key = try await logInAlice(rotates: true)
    func begin() async throws -> (Challenge, Task<Void, any Error>) {
      let challenge = try await world.challenged(by: .password)
      let work = await authority.holding(request.operation) { Task.immediate { try await request.send(store) } }
      #expect(store.state == .challenged(challenge, store.session))
      return (challenge, work)
    }
    let (cancelled, first) = try await begin()
    store.cancel(cancelled)
    #expect(try store.state == .renewing(#require(store.session)))
    await expectOver(cancelled)
    authority.release(request.operation)
    try await first.value

    let (answered, second) = try await begin()
    let answer = Task.immediate { try await store.answer(World.code, to: answered).key }
    #expect(world.count(.answer) == 0)
    authority.release(request.operation)
    try await second.value
    #expect(try await answer.value.id == key.id && key.isLive && world.vaultAgrees)

    let (_, third) = try await begin()
    try await store.logOutAnyone()
    await #expect(throws: SessionError.ended(.userAsked)) { try await third.value }
    authority.release(request.operation)
    await until { world.isEmpty }
  }

  @Test("without a timer, the first answer after the deadline ends the challenge, and is not sent")
  func deadline() async throws {
    let world = World(timing: SessionTiming(watchesLimits: false))
    let challenge = try await world.challenged()
    world.clock.advance(by: .seconds(300))
    #expect(world.store.state == .challenged(challenge, nil))
    await expectOver(challenge, in: world)
    #expect(world.store.state == .restoring(nil) && world.isEmpty && world.count(.answer) == 0)
  }

  /// The action of another process, if any, while the user enters a code.
  enum Elsewhere { case nothing, revoked, loggedOut, anotherUser, offline, silent }

  @Test(
    "a check finds the end of a session and another user even while its second step waits",
    arguments: [
      (Elsewhere.nothing, nil), (.revoked, .ended(.revoked)), (.loggedOut, .ended(.userAsked)),
      (.anotherUser, nil), (.offline, .unavailable(World.offline)), (.silent, .unavailable(.late)),
    ] as [(Elsewhere, SessionError?)])
  func checkWhileWaiting(elsewhere: Elsewhere, failure: SessionError?) async throws {
    let key = try await logInAlice()
    let screen = try #require(store.open(Screen.self))
    let token = try #require(authority.liveTokens.first)
    let challenge = try await world.challenged(by: .password)
    switch elsewhere {
    case .nothing: break
    case .revoked: authority.end(token, .revoked)
    case .loggedOut: vault.content = .empty
    case .anotherUser: try await world.logInElsewhere(World.bob)
    case .offline: authority.fail(.resume, with: .unavailable(World.offline))
    case .silent: authority.hold(.resume)
    }
    let check = Task.immediate { try await store.check() }
    if elsewhere == .silent {
      await clock.reachLimit(in: .seconds(30))
    }
    if let failure {
      await #expect(throws: failure) { try await check.value }
    } else {
      let found = try await check.value
      #expect(elsewhere == .anotherUser ? found.user.username == "bob" : found == key)
    }
    if [.revoked, .loggedOut, .anotherUser].contains(elsewhere) {
      #expect(!key.isLive && screen.told.count == 1 && authority.openChallenges.isEmpty)
      #expect(!authority.liveTokens.contains(token))
    } else {
      #expect(store.state == .challenged(challenge, key) && screen.told == [])
    }
    authority.release(.resume)
  }

  @Test("a released store withdraws its challenge")
  func storeGoes() async throws {
    authority.setSecondStep(of: "alice", to: World.code)
    var store: SessionStore? = world.anotherProcess()
    _ = try? await store?.logIn(World.alice)
    #expect(authority.openChallenges.count == 1)
    store = nil
    await until { authority.openChallenges.isEmpty }
  }
}
