import AuthCore
import AuthCoreTesting
import Testing

@Suite("A start without the authority", .timeLimit(.minutes(10)))
struct LastKnownUserTests: InWorld {
  let world = World()

  private static let alice = LastKnownUser(username: "alice", displayName: "Alice A.")

  /// Alice logs in in an earlier process.
  init() async throws {
    authority.setAccount("alice", password: World.alice.password, displayName: "Alice A.")
    try await logInAlice()
  }

  /// A process that starts while the authority is unreachable.
  private func unanswered() async -> SessionStore {
    authority.fail(.resume, with: .unavailable(World.offline))
    let next = world.anotherProcess()
    await next.restore()
    return next
  }

  @Test("while the authority has not answered, the user is shown, and there is no key")
  func beforeAnswer() async throws {
    let next = world.anotherProcess()
    let listener = Listener()
    next.attach(listener)
    #expect(next.state.lastKnownUser == nil)
    let restored = await authority.holding(.resume) { Task { await next.restore() } }
    #expect(next.state == .restoring(nil, lastKnown: Self.alice))
    #expect(next.session == nil && listener.heard == [])
    authority.release(.resume)
    let key = try #require(await restored.value.key)
    #expect(next.state == .loggedIn(key) && next.state.lastKnownUser == nil)
    #expect(listener.heard == ["in Alice A."])
  }

  /// What ends the session in the vault.
  enum End { case revocation, logout, removal }

  @Test(
    "the user goes when the session has ended, at a logout, and when the vault is empty",
    arguments: [
      (End.revocation, LogoutReason.ended(.revoked)), (.logout, .ended(.userAsked)), (.removal, .neverLoggedIn),
    ])
  func goes(end: End, reason: LogoutReason) async throws {
    let next = await unanswered()
    #expect(next.state.lastKnownUser == Self.alice)
    switch end {
    case .revocation:
      authority.fail(.resume, with: nil)
      authority.end(try #require(authority.liveTokens.first), .revoked)
    case .logout: #expect(try await next.logOutAnyone() == .complete)
    case .removal: vault.content = .empty
    }
    #expect(await next.restore() == .loggedOut(reason))
    #expect(next.state.lastKnownUser == nil)
    #expect(await world.anotherProcess().restore() == .loggedOut(.neverLoggedIn))
  }

  @Test("the name that a renewal brings with a new token is the one that the next launch shows")
  func renamed() async throws {
    authority.setRotation(true)
    authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.")
    try await store.renew()
    #expect(await unanswered().state.lastKnownUser?.displayName == "Alice B.")
  }

  @Test("a token without a user, such as an earlier version saved, starts without one")
  func unknown() async throws {
    vault.content = vault.content
    #expect(await unanswered().state == .restoring(.authority(World.offline)))
  }

  @Test("a write that is undone brings the user back with the token")
  func undone() async throws {
    let next = await unanswered()
    vault.failWrites(World.diskError, landing: true)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await next.loggedIn(World.bob) }
    vault.failWrites(nil)
    #expect(await unanswered().state.lastKnownUser == Self.alice)
  }
}
