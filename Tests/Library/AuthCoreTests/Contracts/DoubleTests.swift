import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite(.timeLimit(.minutes(10))) struct DoubleTests: InWorld {
  let world = World()

  @Test("a session of a test has a key and a password, and tests can change it, move its clock and end it")
  func testSession() async throws {
    let session = TestSession.mint(password: Secret("a password of my own"))
    #expect(session.key.user == TestSession.alice && session.key.isLive)
    let screen = try #require(session.store.open(Screen.self))
    session.letPasswordAge()
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(session.key) }
    let renewed = try #require(try await session.store.reauthenticate(password: session.password).session)
    _ = try FreshSession(renewed)
    let user = User(id: TestSession.alice.id, username: "alice", displayName: "Alice B.", role: .member)
    #expect(try await session.change(to: user).user == user)
    session.clock.advance(by: .seconds(1800), in: session.store)
    #expect(!session.key.isLive && session.key.endReason == .expired(.idle))
    #expect(screen.told == ["follow Alice", "follow Alice B.", "dismiss expired_idle"])
    for reason in [EndReason.userAsked, .revoked] {
      let administrator = TestSession.mint(user: TestSession.root)
      _ = try AdminSession(administrator.key)
      try await administrator.end(reason)
      #expect(administrator.key.endReason == reason)
    }
  }

  @Test("a clock that moves for a store ends a challenge")
  func challenge() async throws {
    let challenge = try await world.challenged()
    clock.advance(by: .seconds(300), in: store)
    #expect(store.state == .restoring(nil) && !authority.openChallenges.contains(challenge.token))
  }
}
