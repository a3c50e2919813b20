import AuthCore
import AuthCoreTesting
import Testing

@Suite("A start without the authority")
struct LastKnownUserTests {
  private static let alice = LastKnownUser(username: "alice", displayName: "Alice A.")

  /// Alice logged in in an earlier process.
  private func earlier() async throws -> World {
    let world = World()
    world.authority.setAccount("alice", password: World.alice.password, displayName: "Alice A.")
    try await world.store.loggedIn(World.alice)
    return world
  }

  /// A process after that of alice, which the authority did not answer.
  private func unanswered() async throws -> (world: World, next: SessionStore) {
    let world = try await earlier()
    return (world, await restored(in: world))
  }

  /// A process that starts while the authority is unreachable.
  private func restored(in world: World) async -> SessionStore {
    world.authority.fail(.resume, with: .unavailable(World.offline))
    let next = world.anotherProcess()
    await next.restore()
    return next
  }

  @Test("while the authority has not answered, the user is shown, and there is no key")
  func beforeAnswer() async throws {
    let world = try await earlier()
    let next = world.anotherProcess()
    let listener = Listener()
    next.attach(listener)
    #expect(next.state.lastKnownUser == nil)
    let restored = await world.authority.holding(.resume) { Task { await next.restore() } }
    #expect(next.state == .restoring(nil, lastKnown: Self.alice))
    #expect(next.session == nil)
    #expect(listener.heard == [])
    world.authority.release(.resume)
    let key = try #require(await restored.value.key)
    #expect(next.state == .loggedIn(key))
    #expect(next.state.lastKnownUser == nil)
    #expect(listener.heard == ["in Alice A."])
  }

  @Test("without the authority the user stays shown, over attempts and failed logins, until it answers")
  func offline() async throws {
    let world = try await earlier()
    world.authority.fail(.resume, with: .unavailable(World.offline))
    let next = world.anotherProcess()
    let shown = SessionSnapshot.restoring(.authority(World.offline), lastKnown: Self.alice)
    #expect(await next.restore() == .obstructed(.authority(World.offline)))
    #expect(next.state == shown)
    #expect(await next.restore() == .obstructed(.authority(World.offline)))
    #expect(next.state == shown)
    await #expect(throws: SessionError.credentialsNotAccepted) { try await next.loggedIn(World.wrong) }
    #expect(next.state == shown)
    for command in [{ try await next.renew() }, { try await next.check() }] as [() async throws -> LoggedInSession] {
      await #expect(throws: SessionError.rejected(.notLoggedIn)) { _ = try await command() }
    }
    #expect(next.open(Screen.self) == nil)
    world.authority.fail(.resume, with: nil)
    await next.restore()
    #expect(next.session?.user.displayName == "Alice A.")
  }

  @Test("the user goes when the session has ended, when somebody logs out, and when the vault is empty")
  func goes() async throws {
    let ended = try await earlier()
    let token = try #require(ended.authority.liveTokens.first)
    ended.authority.end(token, .revoked)
    let first = ended.anotherProcess()
    #expect(await first.restore() == .loggedOut(.ended(.revoked)))
    #expect(first.state.lastKnownUser == nil)

    let (world, next) = try await unanswered()
    #expect(next.state.lastKnownUser == Self.alice)
    #expect(try await next.logOut() == .complete)
    #expect(next.state.lastKnownUser == nil)
    #expect(await world.anotherProcess().restore() == .loggedOut(.neverLoggedIn))

    let (emptied, third) = try await unanswered()
    emptied.vault.content = .empty
    #expect(await third.restore() == .loggedOut(.neverLoggedIn))
  }

  @Test("a login of another process is shown at the next attempt")
  func another() async throws {
    let (world, next) = try await unanswered()
    try await world.store.switched(to: World.bob)
    await next.restore()
    #expect(next.state.lastKnownUser == LastKnownUser(username: "bob", displayName: "bob"))
  }

  @Test("the name that a renewal brings with a new token is the one that the next launch shows")
  func renamed() async throws {
    let world = try await earlier()
    world.authority.setRotation(true)
    world.authority.setAccount("alice", password: World.alice.password, displayName: "Alice B.")
    try await world.store.renew()
    #expect(await restored(in: world).state.lastKnownUser?.displayName == "Alice B.")
  }

  @Test("a token without a user, such as an earlier version saved, starts without one")
  func unknown() async throws {
    let world = try await earlier()
    world.vault.content = world.vault.content
    #expect(await restored(in: world).state == .restoring(.authority(World.offline)))
  }

  @Test("a write that is undone brings the user back with the token")
  func undone() async throws {
    let (world, next) = try await unanswered()
    world.vault.failWrites(World.diskError, landing: true)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await next.loggedIn(World.bob) }
    world.vault.failWrites(nil)
    #expect(await restored(in: world).state.lastKnownUser == Self.alice)
  }

  @Test("a check shows nobody: the user is already logged in")
  func check() async throws {
    let world = try await earlier()
    var iterator = world.store.transitions(bound: 256).makeAsyncIterator()
    let key = try await world.store.check()
    #expect(await iterator.next()?.snapshot == .loggedIn(key))
    #expect(await iterator.next()?.snapshot == .renewing(key))
    #expect(await iterator.next()?.snapshot == .loggedIn(key))
  }
}
