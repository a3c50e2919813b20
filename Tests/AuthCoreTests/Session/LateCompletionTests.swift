import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("Stale results change nothing")
struct LateCompletionTests {
  @Test("a renewal that a logout overtook does not overwrite the next user, and its grant is revoked")
  func lateRenewal() async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let renewal = await world.authority.holding(.renew, at: .answer) { Task { try await world.store.renew() } }
    #expect(try await world.store.logOut() == .complete)
    let bob = try await world.store.loggedIn(World.bob)
    let listener = Listener()
    world.store.attach(listener)
    let revision = world.store.revision

    world.authority.release(.renew, at: .answer)
    await until { world.count(.revoke) == 2 || world.store.session != bob }

    #expect(world.store.session == bob)
    #expect(world.vaultAgrees)
    #expect(world.store.revision == revision)
    #expect(listener.heard == ["in bob"])
    await #expect(throws: SessionError.ended(.userAsked)) { try await renewal.value }
  }

  @Test("the answer to an earlier session's renewal does not complete the current one")
  func renewalOfTheSessionBefore() async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let first = await world.authority.holding(.renew, at: .answer) { Task { try await world.store.renew() } }
    #expect(try await world.store.logOut() == .complete)
    let before = try await world.store.loggedIn(World.alice)
    let second = Task { try await world.store.renew() }
    await world.authority.waitUntilHeld(.renew, at: .answer, count: 2)

    world.authority.releaseFirst(.renew, at: .answer)
    await until { world.count(.revoke) == 2 || world.store.state != .renewing(before) }
    #expect(world.store.state == .renewing(before))
    #expect(world.vault.content == .token(before.record.grant.token))
    await #expect(throws: SessionError.ended(.userAsked)) { try await first.value }

    world.authority.release(.renew, at: .answer)
    let after = try await second.value
    #expect(after.id == before.id)
    #expect(world.vaultAgrees)
  }

  @Test("a write that a logout overtook is erased when it is done")
  func touchInTheVault() async throws {
    let (world, _) = try await World.withAlice(rotates: true)
    let touch = await world.vault.holding(.replace) { Task { try await world.store.renew() } }
    let logout = world.store.beginLogOut()
    #expect(world.store.session == nil)
    world.vault.release(.replace)
    #expect(try await logout.value() == .complete)
    await #expect(throws: SessionError.ended(.userAsked)) { try await touch.value }
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
  }

  @Test("a renewal does not restore a session that another process erased")
  func erasedElsewhere() async throws {
    let (world, key) = try await World.withAlice(rotates: true)
    world.vault.content = .empty
    await #expect(throws: SessionError.ended(.userAsked)) { try await world.store.renew() }
    #expect(world.store.session == nil)
    #expect(!key.isLive)
    #expect(world.vault.content == .empty)
  }

  @Test("a slow read of an empty vault does not undo or delay a login")
  func slowLook() async throws {
    let world = World()
    let restore = await world.vault.holding(.load, at: .after, calls: 1) { Task { await world.store.restore() } }
    let key = try await world.store.loggedIn(World.alice)
    #expect(await restore.value == .overtaken)
    // The result of the read after its release; sent from here, so that the test need not wait for
    // it.
    #expect(world.store.core.send(.restored(Epoch(1), .absent)) == .ignored(.otherEpoch))
    world.vault.release(.load, at: .after)
    #expect(world.store.session == key)
    #expect(world.vaultAgrees)
  }

  @Test("a slow answer about a saved session does not undo a login", arguments: [true, false])
  func slowAnswer(stands: Bool) async throws {
    let world = World()
    try await world.store.loggedIn(World.bob)
    let next = world.anotherProcess()
    if !stands { world.authority.answerResumption(with: .failure(.rejected(.ended(.revoked)))) }
    let restore = await world.authority.holding(.resume, at: .answer) { Task { await next.restore() } }
    let key = try await next.loggedIn(World.alice)
    world.authority.release(.resume, at: .answer)
    #expect(await restore.value == .overtaken)
    #expect(next.session == key)
    #expect(world.vaultAgrees)
  }

  @Test("a failed login is reported once, and not to the next login")
  func failedLogin() async throws {
    let world = World()
    let failed = await world.authority.holding(.authenticate) { world.store.beginLogIn(World.wrong) }
    world.store.beginLogOut()
    await #expect(throws: SessionError.ended(.userAsked)) { try await failed.value() }
    let second = world.store.beginLogIn(World.alice)
    await world.authority.waitUntilHeld(.authenticate, count: 2)
    world.authority.release(.authenticate)
    let key = try await second.value().key
    #expect(key.user.username == "alice")
    #expect(world.store.session == key)
    await #expect(throws: SessionError.ended(.userAsked)) { try await failed.value() }
  }

  @Test("hundreds of simultaneous logins run one at a time and leave one session")
  func manyLogins() async throws {
    let world = World()
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let pending = world.store.beginLogIn(number.isMultiple(of: 2) ? World.alice : World.bob)
          do throws(SessionError) {
            _ = try await pending.value()
          } catch {
            guard case .rejected(let rejection) = error else {
              Issue.record("a login that was not taken was answered \(error)")
              return
            }
            #expect([.alreadyInProgress, .alreadyLoggedIn].contains(rejection))
          }
        }
      }
    }
    #expect(world.count(.authenticate) == 1)
    #expect(world.vaultAgrees)
  }

  @Test("a late grant whose revocation fails is revoked by the next logout", arguments: [true, false])
  func lateGrantOfADeafAuthority(afterAnotherLogin: Bool) async throws {
    let world = World()
    let login = await world.authority.holding(.authenticate, at: .answer, calls: 1) {
      world.store.beginLogIn(World.alice)
    }
    #expect(try await world.store.logOut() == .complete)
    await #expect(throws: SessionError.ended(.userAsked)) { try await login.value() }
    world.authority.answerRevocation(with: .failure(World.offline))
    world.authority.release(.authenticate, at: .answer)
    await until { world.store.core.withLock { !$0.unrevoked.isEmpty } }
    #expect(world.authority.liveTokens.count == 1)
    if afterAnotherLogin {
      try await world.store.loggedIn(World.bob)
      #expect(try await world.store.logOut() == .complete)
    } else {
      #expect(try await world.store.logOut() == .alreadyLoggedOut)
      await until { world.authority.liveTokens.isEmpty }
    }
    #expect(world.authority.liveTokens.isEmpty)
    await until { world.store.core.withLock { $0.unrevoked.isEmpty } }
  }
}
