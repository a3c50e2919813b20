import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("An absent session differs from a failed read")
struct AbsenceTests {
  @Test("an unreadable vault at launch is not an empty one")
  func unreadableAtLaunch() async throws {
    let (world, _) = try await World.withAlice()
    world.vault.failReads(World.diskError)
    let next = world.anotherProcess()
    let listener = Listener()
    next.attach(listener)
    #expect(await next.restore() == .obstructed(.vault(World.diskError)))
    #expect(next.state == .restoring(.vault(World.diskError)))
    #expect(next.session == nil)
    world.vault.failReads(nil)
    await next.restore()
    let key = try #require(next.session)
    #expect(key.user.username == "alice")
    #expect(listener.heard == ["in alice"])
  }

  /// Every failure that says nothing about the session.
  static let faults: [ScriptedAuthority.Fault] =
    Unavailability.Cause.allCases.map { .unavailable(Unavailability($0, "it failed as \($0)")) }
    + [.throttled(.wait(.seconds(30)))]

  @Test("no kind of failure ends a session, and each is reported", arguments: Request.allCases, faults)
  func unavailable(request: Request, fault: ScriptedAuthority.Fault) async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    world.authority.fail(request.operation, with: fault)
    let error: SessionError =
      switch (fault, request) {
      case (.unavailable(let cause), _): .unavailable(cause)
      case (.throttled(let throttle), .check): .unavailable(throttle.unavailability)
      case (.throttled(let throttle), _): .throttled(throttle)
      }
    await #expect(throws: error) { try await request.send(world.store) }
    #expect(world.store.state == .loggedIn(key))
    #expect(key.isLive)
    #expect(world.vaultAgrees)
    world.authority.fail(request.operation, with: nil)
    try await request.send(world.store)
    #expect(world.vaultAgrees)
  }

  @Test("only an explicit rejection ends a session at launch", arguments: Unavailability.Cause.allCases)
  func unavailableAtLaunch(cause: Unavailability.Cause) async throws {
    let (world, _) = try await World.withAlice()
    let failure = Unavailability(cause, "it failed as \(cause)")
    world.authority.fail(.resume, with: .unavailable(failure))
    let next = world.anotherProcess()
    #expect(await next.restore() == .obstructed(.authority(failure)))
    #expect(world.vaultAgrees)
    world.authority.fail(.resume, with: nil)
    world.authority.answerResumption(with: .failure(.rejected(.ended(.revoked))))
    #expect(await next.restore() == .loggedOut(.ended(.revoked)))
    #expect(world.vault.content == .empty)
  }

  @Test("a failing vault ends no session", arguments: [true, false])
  func vaultFails(reading: Bool) async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    if reading {
      world.vault.failReads(World.diskError)
      await #expect(throws: SessionError.vault(World.diskError)) { try await world.store.check() }
    } else {
      world.vault.failWrites(World.diskError)
      await #expect(throws: SessionError.notSaved(World.diskError)) { try await world.store.renew() }
      await #expect(throws: SessionError.notSaved(World.diskError)) {
        try await world.store.reauthenticated(password: World.alice.password)
      }
      await #expect(throws: SessionError.notSaved(World.diskError)) {
        try await world.store.switched(to: World.bob)
      }
    }
    #expect(world.store.state == .loggedIn(key))
    world.vault.failReads(nil)
    world.vault.failWrites(nil)
    try await world.store.check()
    try await world.store.renew()
    #expect(key.isLive)
  }

  @Test("a wrong password does not end a session")
  func wrongPassword() async throws {
    let (world, key) = try await World.withAlice()
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await world.store.reauthenticated(password: World.wrong.password)
    }
    #expect(world.store.state == .loggedIn(key))
    #expect(world.vaultAgrees)
  }

  @Test("an explicit rejection ends a session with the authority's reason", arguments: Request.allCases.dropLast())
  func rejected(request: Request) async throws {
    let (world, key) = try await World.withAlice()
    world.authority.setAccount("alice", password: World.alice.password, isDisabled: true)
    await #expect(throws: SessionError.ended(.accountDisabled)) { try await request.send(world.store) }
    #expect(world.store.state == .loggedOut(.ended(.accountDisabled)))
    #expect(key.endReason == .accountDisabled)
    #expect(world.vault.content == .empty)
  }

  @Test("a confirmation answered with the end of the session ends it")
  func rejectedConfirmation() async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    world.authority.answerConfirmation(with: .failure(.rejected(.ended(.revoked))))
    _ = try? await world.store.renew()
    #expect(world.store.state == .loggedOut(.ended(.revoked)))
    #expect(!key.isLive)
    #expect(world.vault.content == .empty)
  }

  @Test(
    "the next use repeats a confirmation that did not arrive", arguments: Unavailability.Cause.allCases)
  func lostConfirmation(cause: Unavailability.Cause) async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    world.authority.fail(.confirm, with: .unavailable(Unavailability(cause, "lost")))
    try await world.store.renew()
    #expect(world.store.session != nil)
    #expect(world.authority.liveTokens.count == 2)
    try await world.store.check()
    #expect(world.vaultAgrees)
  }

  @Test("a corrupt vault is reported with its evidence, and a login fixes it and keeps the evidence")
  func corrupt() async throws {
    let world = World(vault: InMemoryVault(.corrupt(World.evidence)))
    #expect(await world.store.restore() == .obstructed(.corrupt(World.evidence)))
    #expect(world.store.state == .restoring(.corrupt(World.evidence)))
    #expect(world.vault.content == .corrupt(World.evidence))
    try await world.store.loggedIn(World.alice)
    #expect(world.vaultAgrees)
    #expect(world.vault.evidence == [World.evidence])
  }

  @Test("content that becomes corrupt during a session is reported and does not end the session")
  func becomesCorrupt() async throws {
    let (world, key) = try await World.withAlice()
    world.vault.content = .corrupt(World.evidence)
    await #expect(throws: SessionError.corrupt(World.evidence)) { try await world.store.check() }
    #expect(world.store.state == .loggedIn(key))
    #expect(world.vault.content == .corrupt(World.evidence))
  }

  @Test("an unreachable authority, or one that cannot check a token, does not cause an erase")
  func nothingErasedBecauseSomethingElseIsMissing() async throws {
    let (world, _) = try await World.withAlice()
    let kept = world.vault.content
    world.authority.fail(.resume, with: .unavailable(World.offline))
    let next = world.anotherProcess()
    await next.restore()
    await #expect(throws: SessionError.credentialsNotAccepted) { try await next.loggedIn(World.wrong) }
    let user = LastKnownUser(username: "alice", displayName: "alice")
    #expect(next.state == .restoring(.authority(World.offline), lastKnown: user))
    #expect(world.vault.content == kept)
    #expect(!world.vault.log.contains(.erase))
    #expect(!world.vault.log.contains(.setAside))
  }

  @Test("when another process exchanged the token first, this one adopts the newer token", arguments: [true, false])
  func renewedElsewhere(byRenewal: Bool) async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    let other = world.anotherProcess()
    await other.restore()
    try await other.renew()
    let adopted = byRenewal ? try await world.store.renew() : try await world.store.check()
    #expect(adopted.id == key.id)
    #expect(adopted.user == key.user)
    #expect(key.isLive)
    #expect(world.vaultAgrees)
    #expect(other.session != nil)
  }

  @Test("two processes that renew simultaneously do not delete each other's session")
  func renewedAtOnce() async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let other = world.anotherProcess()
    await other.restore()
    let late = await world.authority.holding(.renew, at: .answer, calls: 1) { Task { try await world.store.renew() } }
    try await other.renew()
    world.authority.release(.renew, at: .answer)
    await #expect(throws: SessionError.overtaken) { try await late.value }
    #expect(world.store.session != nil)
    #expect(world.vaultAgrees)
  }
}
