import AuthCore
import AuthCoreTesting
import Testing

@Suite("The main features of a store")
struct MainJobTests {
  @Test("nobody is logged in before the vault answers, or when it is empty")
  func launch() async {
    let world = World()
    #expect(world.store.state == .restoring(nil))
    #expect(await world.store.restore() == .loggedOut(.neverLoggedIn))
    #expect(world.store.session == nil)
  }

  @Test("a login creates a key and saves the token, and a logout ends both")
  func loginAndLogout() async throws {
    let world = World()
    await world.store.restore()
    let key = try await world.store.loggedIn(World.alice)
    #expect(key.user.username == "alice")
    #expect(key.isLive)
    #expect(world.vault.content == .token(try #require(world.authority.liveTokens.first)))
    #expect(try await world.store.logOut() == .complete)
    #expect(!key.isLive)
    #expect(key.endReason == .userAsked)
    #expect(world.vault.content == .empty)
    #expect(world.authority.liveTokens.isEmpty)
    #expect(try await world.store.logOut() == .alreadyLoggedOut)
  }

  @Test("a switch changes the user, and a refused switch keeps the first")
  func switchUser() async throws {
    let (world, first) = try await World.withAlice()
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await world.store.switched(to: Credentials.password(username: "bob", password: Secret("no")))
    }
    #expect(world.store.session == first)
    let switched = try await world.store.switched(to: World.bob)
    #expect(switched.user.username == "bob")
    #expect(first.endReason == .switchedUser)
    #expect(world.authority.liveTokens.count == 1)
  }

  @Test("a login over a corrupt vault sets the evidence aside and revokes the readable token")
  func loginOverCorrupt() async throws {
    let (world, _) = try await World.withAlice()
    let old = try #require(world.authority.liveTokens.first)
    world.vault.content = .corrupt(VaultEvidence("mode 0666", hint: "Log in again.", salvaged: old))
    let next = world.anotherProcess()
    try await next.loggedIn(World.alice)
    #expect(!world.authority.liveTokens.contains(old))
    #expect(world.authority.liveTokens.count == 1)
    #expect(world.vault.evidence.count == 1)
  }
}
