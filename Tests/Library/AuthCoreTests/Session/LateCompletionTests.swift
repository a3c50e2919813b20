import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("Stale results change nothing", .timeLimit(.minutes(10)))
struct LateCompletionTests: InWorld {
  let world = World()

  @Test(
    "the answer to a renewal that a logout overtook neither changes the next session nor completes its renewal",
    arguments: [World.bob, World.alice])
  func lateRenewal(next: Credentials) async throws {
    try await logInAlice(rotates: true)
    let first = await authority.holding(.renew, at: .end) { Task { try await store.renew() } }
    #expect(try await store.logOutAnyone() == .complete)
    let before = try await store.loggedIn(next)
    let second = Task { try await store.renew() }
    await authority.waitUntilHeld(.renew, at: .end, count: 2)
    let listener = Listener()
    store.attach(listener)
    let revision = store.revision

    authority.releaseFirst(.renew, at: .end)
    await until { world.count(.revoke) == 2 || store.revision != revision }
    #expect(store.state == .renewing(before) && store.revision == revision)
    #expect(vault.content == .token(before.record.grant.token))
    #expect(listener.heard == ["in \(next.username)"])
    await #expect(throws: SessionError.ended(.userAsked)) { try await first.value }

    authority.release(.renew, at: .end)
    #expect(try await second.value.id == before.id)
    #expect(world.vaultAgrees)
  }

  @Test("a slow read of an empty vault does not undo or delay a login")
  func slowLook() async throws {
    let restore = await vault.holding(.load, at: .end, calls: 1) { Task { await store.restore() } }
    let key = try await store.loggedIn(World.alice)
    #expect(await restore.value == .overtaken)
    // The result of the read after its release; sent from here, so that the test need not wait for
    // it.
    #expect(store.core.send(.restored(Epoch(number: 1), .absent)) == .ignored(.otherEpoch))
    vault.release(.load, at: .end)
    #expect(store.session == key && world.vaultAgrees)
  }

  @Test("a failed login is reported once, and not to the next login")
  func failedLogin() async throws {
    let failed = await authority.holding(.authenticate) { store.beginLogIn(World.wrong) }
    store.beginLogOutAnyone()
    await #expect(throws: SessionError.ended(.userAsked)) { try await failed.value() }
    let second = store.beginLogIn(World.alice)
    await authority.waitUntilHeld(.authenticate, count: 2)
    authority.release(.authenticate)
    let key = try await second.value().key
    #expect(key.user.username == "alice" && store.session == key)
    await #expect(throws: SessionError.ended(.userAsked)) { try await failed.value() }
  }

  @Test("a late grant whose revocation fails is revoked by the next logout", arguments: [true, false])
  func lateGrantOfADeafAuthority(afterAnotherLogin: Bool) async throws {
    let login = await authority.holding(.authenticate, at: .end, calls: 1) { store.beginLogIn(World.alice) }
    #expect(try await store.logOutAnyone() == .complete)
    await #expect(throws: SessionError.ended(.userAsked)) { try await login.value() }
    authority.script(\.revocations, .failure(World.offline))
    authority.release(.authenticate, at: .end)
    await until { store.core.withLock { !$0.unrevoked.isEmpty } }
    #expect(authority.liveTokens.count == 1)
    if afterAnotherLogin { try await store.loggedIn(World.bob) }
    #expect(try await store.logOutAnyone() == (afterAnotherLogin ? .complete : .alreadyLoggedOut))
    await until { authority.liveTokens.isEmpty && store.core.withLock { $0.unrevoked.isEmpty } }
  }

  @Test(
    "a late answer to the confirmation of an earlier token does not end the renewed session", arguments: [true, false])
  func lateConfirmation(isRefused: Bool) async throws {
    authority.setRotation(true)
    let key = try await store.loggedIn(World.alice)
    authority.hold(.confirm, calls: 1)
    try await store.renew()
    await authority.waitUntilHeld(.confirm)
    // The limits are those of the session, and each password check moves them.
    for _ in 1...18 {
      clock.advance(by: .seconds(1700), in: store)
      _ = try await store.reauthenticate(password: World.alice.password)
    }
    if isRefused { authority.script(\.confirmations, .failure(.rejected(.ended(.expired(.absolute))))) }
    authority.release(.confirm)
    await store.untilQuiet()
    #expect(key.isLive && store.state == store.session.map { .loggedIn($0) } && world.vaultAgrees)
  }
}
