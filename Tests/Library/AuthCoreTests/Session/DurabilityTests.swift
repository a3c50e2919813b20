import AuthCore
import AuthCoreTesting
import Testing

@Suite("Saved sessions survive a crash", .timeLimit(.minutes(10)))
struct DurabilityTests: InWorld {
  let world = World()

  /// The moments of a request at which a process may be killed.
  enum Moment: CaseIterable { case answered, beforeWrite, afterWrite, confirming }

  @Test(
    "killed at any moment of a request, the next process has the old session or the new one, never none",
    arguments: Request.saving, Moment.allCases)
  func killed(request: Request, moment: Moment) async throws {
    // A new session needs no confirmation.
    if request == .switchUser && moment == .confirming { return }
    try await logInAlice(rotates: true)
    let begin = { Task { try await request.send(store) } }
    let killed =
      switch moment {
      case .answered: await authority.holding(request.operation, at: .end, begin)
      case .beforeWrite: await vault.holding(.replace, at: .start, begin)
      case .afterWrite: await vault.holding(.replace, at: .end, begin)
      case .confirming: await authority.holding(.confirm, begin)
      }
    #expect(await world.anotherProcess().restore().key != nil)
    killed.cancel()
    world.releaseEverything()
  }

  /// The commands whose write fails.
  enum Write: CaseIterable { case login, loginOverSaved, renewal, password, userSwitch }

  @Test(
    "a write that failed, whether it landed or not, throws, and leaves memory and disk on the session before it",
    arguments: Write.allCases, [true, false])
  func notWritten(write: Write, landed: Bool) async throws {
    if write != .login { try await logInAlice(rotates: true) }
    let store = write == .loginOverSaved ? world.anotherProcess() : world.store
    let (session, saved, content) = (store.session, world.store.session?.id, vault.content)
    vault.failWrites(World.diskError, landing: landed)
    await #expect(throws: SessionError.notSaved(World.diskError)) {
      switch write {
      case .login, .loginOverSaved: try await store.loggedIn(World.bob)
      case .renewal: try await store.renew()
      case .password: _ = try await store.reauthenticate(password: World.alice.password).key
      case .userSwitch: _ = try await store.switchUser(to: World.bob).key
      }
    }
    vault.failWrites(nil)
    #expect(store.session == session && vault.content == content)
    if let session { #expect(try await store.check().id == session.id) }
    #expect(await world.anotherProcess().restore().key?.id == saved)
    // An unconfirmed token of the same session is not revoked: that would end the session.
    if write != .renewal && write != .password {
      #expect(write == .login ? world.isEmpty : world.vaultAgrees)
    }
  }

  @Test("every session is saved before observers see it", arguments: [false, true])
  func savedFirst(rotates: Bool) async throws {
    let listener = Listener(onLoggedIn: { session in
      let shown = try? session.withLease { lease in lease.sessionToken }
      #expect(shown.map { vault.content == .token($0) && authority.liveTokens.contains($0) } ?? false)
    })
    store.attach(listener)
    try await logInAlice(rotates: rotates)
    try await store.renew()
    _ = try await store.reauthenticate(password: World.alice.password).key
    _ = try await store.switchUser(to: World.bob).key
    #expect(listener.heard.count >= 3)
  }

  @Test(
    "a login over a saved session revokes it without waiting for that, even when both read before either writes",
    arguments: [false, true])
  func displaced(atOnce: Bool) async throws {
    let next = world.anotherProcess()
    if atOnce { vault.hold(.store) } else { try await logInAlice() }
    authority.hold(.revoke)
    let logins = (atOnce ? [store.beginLogIn(World.alice)] : []) + [next.beginLogIn(World.bob)]
    if atOnce {
      await vault.waitUntilHeld(.store, count: 2)
      #expect(authority.liveTokens.count == 2)
      vault.release(.store)
    }
    for login in logins { _ = try await login.value() }
    await authority.waitUntilHeld(.revoke)
    authority.release(.revoke)
    await until { world.vaultAgrees }
  }
}
