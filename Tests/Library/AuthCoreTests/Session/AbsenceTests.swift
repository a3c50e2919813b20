import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("An absent session differs from a failed read", .timeLimit(.minutes(10)))
struct AbsenceTests: InWorld {
  let world = World()
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  /// Every failure that says nothing about the session.
  static let faults: [ScriptedAuthority.Fault] =
    Unavailability.Cause.allCases.map { .unavailable(Unavailability($0, "it failed as \($0)")) }
    + [.throttled(.wait(.seconds(30)))]

  @Test(
    "no kind of failure ends a session or uses up a try of a challenge, and each is reported",
    arguments: Request.asking.map { (.session($0), .login) }
      + [(SessionCommand.answer, World.FirstStep.password), (.answer, .userSwitch)], faults)
  func unavailable(_ asked: (SessionCommand, World.FirstStep), fault: ScriptedAuthority.Fault) async throws {
    let (command, first) = asked
    authority.setRotation(true)
    let challenge = command == .answer ? try await world.challenged(by: first) : nil
    let operation =
      if case .session(let request) = command { request.operation } else { ScriptedAuthority.Operation.answer }
    authority.fail(operation, with: fault)
    let error: SessionError =
      switch (fault, command) {
      case (.unavailable(let cause), _): .unavailable(cause)
      case (.throttled, .session(.check)): .unavailable(.throttled)
      case (.throttled(let throttle), _): .throttled(throttle)
      }
    let state = store.state
    await #expect(throws: error) { try await command.send(store, answering: challenge) }
    #expect(store.state == state && key.isLive && world.vaultAgrees)
    authority.fail(operation, with: nil)
    try await command.send(store, answering: challenge)
    #expect(store.state == store.session.map { .loggedIn($0) } && world.vaultAgrees)
  }

  @Test("a confirmation answered with the end of the session ends it")
  func rejectedConfirmation() async throws {
    authority.setRotation(true)
    authority.script(\.confirmations, .failure(.rejected(.ended(.revoked))))
    _ = try? await store.renew()
    #expect(store.state == .loggedOut(.ended(.revoked)))
    #expect(!key.isLive && vault.content == .empty)
  }

  @Test("the next use repeats a confirmation that did not arrive", arguments: Unavailability.Cause.allCases)
  func lostConfirmation(cause: Unavailability.Cause) async throws {
    authority.setRotation(true)
    authority.fail(.confirm, with: .unavailable(Unavailability(cause, "lost")))
    try await store.renew()
    #expect(store.session != nil)
    #expect(authority.liveTokens.count == 2)
    try await store.check()
    #expect(world.vaultAgrees)
  }

  @Test("when another process exchanged the token first, this one adopts the newer token", arguments: [true, false])
  func renewedElsewhere(byRenewal: Bool) async throws {
    authority.setRotation(true)
    let other = try await world.launched()
    try await other.renew()
    let adopted = byRenewal ? try await store.renew() : try await store.check()
    #expect(adopted.id == key.id && adopted.user == key.user && key.isLive)
    #expect(other.session != nil && world.vaultAgrees)
  }

  @Test("two processes that renew simultaneously do not delete each other's session")
  func renewedAtOnce() async throws {
    authority.setRotation(true)
    let other = try await world.launched()
    let late = await authority.holding(.renew, at: .end, calls: 1) { Task { try await store.renew() } }
    try await other.renew()
    authority.release(.renew, at: .end)
    await #expect(throws: SessionError.overtaken) { try await late.value }
    #expect(store.session != nil)
    #expect(world.vaultAgrees)
  }

  /// The failures of a launch, which say nothing about the session.
  static let obstacles: [RestoreFailure] =
    [.vault(World.diskError)]
    + Unavailability.Cause.allCases.map { .authority(Unavailability($0, "it failed as \($0)")) }

  @Test(
    "a launch that cannot find out loses nothing, over attempts and failed logins, until it can", arguments: obstacles)
  func launch(obstacle: RestoreFailure) async throws {
    let saved = vault.content
    let next = world.anotherProcess()
    let listener = Listener()
    next.attach(listener)
    var user: LastKnownUser?
    if case .authority(let cause) = obstacle {
      authority.fail(.resume, with: .unavailable(cause))
      user = LastKnownUser(username: "alice", displayName: "alice")
    } else {
      vault.failReads(World.diskError)
    }
    for _ in 1...2 {
      #expect(await next.restore() == .obstructed(obstacle))
      #expect(next.state == .restoring(obstacle, lastKnown: user))
    }
    await #expect(throws: SessionError.credentialsNotAccepted) { try await next.loggedIn(World.wrong) }
    #expect(next.state == .restoring(obstacle, lastKnown: user))
    for request in Request.allCases {
      await #expect(throws: SessionError.rejected(.notLoggedIn)) { try await request.send(next) }
    }
    #expect(next.session == nil && next.open(Screen.self) == nil && listener.heard == [])
    #expect(vault.content == saved && !vault.log.contains(.erase) && !vault.log.contains(.setAside))
    vault.failReads(nil)
    authority.fail(.resume, with: nil)
    #expect(await next.restore().key?.user.username == "alice")
    #expect(listener.heard == ["in alice"] && world.vaultAgrees)
  }

  /// The commands that deal with corrupt content of the vault.
  enum Repair: CaseIterable { case login, logout, logoutInSession }

  @Test(
    "corrupt content is reported; a login or a logout sets it aside, and revokes its readable token",
    arguments: Repair.allCases)
  func corrupt(repair: Repair) async throws {
    let evidence = VaultEvidence("session: cut short", hint: "Log in again.", salvaged: authority.liveTokens.first)
    vault.content = .corrupt(evidence)
    let store = repair == .logoutInSession ? world.store : world.anotherProcess()
    if repair == .logoutInSession {
      await #expect(throws: SessionError.corrupt(evidence)) { try await store.check() }
      #expect(store.state == .loggedIn(key))
    } else {
      #expect(await store.restore() == .obstructed(.corrupt(evidence)))
      #expect(store.state == .restoring(.corrupt(evidence)))
    }
    #expect(vault.content == .corrupt(evidence) && vault.evidence == [])
    if repair == .login {
      try await store.loggedIn(World.alice)
      #expect(world.vaultAgrees)
    } else {
      #expect(try await store.logOutAnyone() == .complete)
      #expect(world.isEmpty)
    }
    #expect(vault.evidence == [evidence])
  }
}
