import AuthCore
import AuthCoreTesting
import Guards
import Testing

@Suite("Saved sessions survive a crash")
struct DurabilityTests {
  @Test(
    "killed between the authority's answer and the write, the next process has the old session",
    arguments: Request.saving)
  func killedBeforeTheWrite(request: Request) async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let killed = await world.authority.holding(request.operation, at: .answer) {
      Task { try await request.send(world.store) }
    }
    await expectSomebody(in: world)
    killed.cancel()
    world.authority.release(request.operation, at: .answer)
  }

  @Test(
    "killed around the write, the next process has the old session or the new one, never none",
    arguments: Request.saving, [InMemoryVault.Point.before, .after])
  func killedAroundTheWrite(request: Request, point: InMemoryVault.Point) async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let killed = await world.vault.holding(.replace, at: point) { Task { try await request.send(world.store) } }
    await expectSomebody(in: world)
    killed.cancel()
    world.vault.release(.replace, at: point)
  }

  @Test(
    "killed before the confirmation is sent, the next process has the new session",
    arguments: [Request.renew, .reauthenticate])
  func killedBeforeTheConfirmation(request: Request) async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let killed = await world.authority.holding(.confirm) { Task { try await request.send(world.store) } }
    await expectSomebody(in: world)
    try await killed.value
    world.authority.release(.confirm)
  }

  private func expectSomebody(in world: World) async {
    #expect(await world.anotherProcess().restore().key != nil)
  }

  @Test("a login whose token cannot be saved throws, logs in nobody, and is revoked")
  func loginNotWritten() async throws {
    let world = World()
    world.vault.failWrites(World.diskError)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await world.store.loggedIn(World.alice) }
    #expect(world.store.session == nil)
    #expect(world.authority.liveTokens.isEmpty)
    #expect(world.vault.content == .empty)
  }

  @Test(
    "an exchange that failed, whether it landed or not, leaves memory and disk on one session",
    arguments: [true, false])
  func exchangeNotWritten(landed: Bool) async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    world.vault.failWrites(World.diskError, landing: landed)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await world.store.renew() }
    #expect(world.store.session == key)
    world.vault.failWrites(nil)
    let checked = try await world.store.check()
    #expect(checked.id == key.id)
    #expect(world.vault.content == .token(try checked.withLease { lease in lease.sessionToken }))
    let next = world.anotherProcess()
    await next.restore()
    let restored = try #require(next.session)
    #expect(restored.id == key.id)
  }

  @Test("every session is saved before observers see it", arguments: [false, true])
  func savedFirst(rotates: Bool) async throws {
    let world = World()
    world.authority.setRotation(rotates)
    let (vault, authority) = (world.vault, world.authority)
    let unsaved = Locked(0)
    let listener = Listener(onLoggedIn: { session in
      guard case .token(let kept) = vault.content, authority.liveTokens.contains(kept), session.isLive else {
        unsaved.withLock { $0 += 1 }
        return
      }
      let shown = try? session.withLease { lease in lease.sessionToken }
      if shown != kept { unsaved.withLock { $0 += 1 } }
    })
    world.store.attach(listener)
    try await world.store.loggedIn(World.alice)
    try await world.store.renew()
    try await world.store.reauthenticated(password: World.alice.password)
    try await world.store.switched(to: World.bob)
    #expect(listener.heard.count >= 3)
    #expect(unsaved.withLock { $0 } == 0)
  }

  @Test("a logout sets a corrupt vault aside and revokes its readable tokens")
  func logoutOverCorruptContent() async throws {
    let first = World()
    try await first.store.loggedIn(World.alice)
    let token = try #require(first.authority.liveTokens.first)
    let evidence = VaultEvidence("session: cut short", hint: "Log in again.", salvaged: token)
    first.vault.content = .corrupt(evidence)
    let next = first.anotherProcess()
    #expect(await next.restore() == .obstructed(.corrupt(evidence)))
    #expect(try await next.logOut() == .complete)
    #expect(first.vault.evidence == [evidence])
    #expect(first.vault.content == .empty)
    #expect(first.authority.liveTokens.isEmpty)
  }

  @Test("a login over a saved session revokes the saved one without waiting for it")
  func displaced() async throws {
    let (world, _) = try await World.withAlice()
    let next = world.anotherProcess()
    world.authority.hold(.revoke)
    let key = try await next.loggedIn(World.bob)
    #expect(key.user.username == "bob")
    await world.authority.waitUntilHeld(.revoke)
    world.authority.release(.revoke)
    await until { world.vaultAgrees }
  }

  @Test("two first logins that both read before either writes leave one session: the later one revokes the earlier one")
  func displacedAtOnce() async throws {
    let world = World()
    let next = world.anotherProcess()
    world.vault.hold(.store)
    let logins = [world.store.beginLogIn(World.alice), next.beginLogIn(World.alice)]
    await world.vault.waitUntilHeld(.store, count: 2)
    #expect(world.authority.liveTokens.count == 2)
    world.vault.release(.store)
    for login in logins { _ = try await login.value() }
    await until { world.vaultAgrees }
  }
}
