import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A found session is adopted only as itself")
struct AdoptionTests {
  private let world = World()

  /// A grant whose session has the same name as another user's session, from an authority that
  /// numbers sessions per user.
  private func grant(_ username: String, like grant: Grant, token: SessionToken, role: Role = .member) -> Grant {
    let user = User(id: UserID(rawValue: "id-\(username)"), username: username, displayName: username, role: role)
    return Grant(id: grant.id, user: user, token: token, limits: grant.limits)
  }

  private func kept(_ key: LoggedInSession) -> Grant { key.record.grant }

  @Test(
    "the key of one user does not become that of another user whose session has the same name",
    arguments: [true, false])
  func sameNameOfAnotherUser(byCheck: Bool) async throws {
    let key = try await world.store.loggedIn(World.alice)
    // Another process logs in an administrator, whose session has the same name.
    let token = SessionToken(bytes: [1, 2, 3])
    world.vault.content = .token(token)
    if !byCheck { world.authority.answerRenewal(with: .failure(.rejected(.superseded))) }
    world.authority.answerResumption(
      with: .success(grant("root", like: kept(key), token: token, role: .administrator)))
    let found = byCheck ? try await world.store.check() : nil
    if !byCheck { await #expect(throws: SessionError.ended(.switchedUser)) { try await world.store.renew() } }
    #expect(key.endReason == .switchedUser)
    #expect(throws: RoleError.ended(.switchedUser)) { try AdminSession(key) }
    #expect(throws: LeaseError<Never>.ended(.switchedUser)) { try key.withLease { _ in } }
    #expect(world.store.session?.user.username == "root")
    #expect(found == nil || found == world.store.session)
  }

  @Test("an answer with the session's token and another user changes nothing")
  func sameTokenOfAnotherUser() async throws {
    let key = try await world.store.loggedIn(World.alice)
    world.authority.answerResumption(with: .success(grant("root", like: kept(key), token: kept(key).token)))
    let failure = await #expect(throws: SessionError.self) { try await world.store.check() }
    #expect(failure?.unavailability?.cause == .unparsable)
    #expect(world.store.state == .loggedIn(key))
    #expect(world.vaultAgrees)
  }

  @Test("a token that resume changed is refused, and the saved session is not lost", arguments: [true, false])
  func resumeChangesTheToken(atLaunch: Bool) async throws {
    let key = try await world.store.loggedIn(World.alice)
    let store = atLaunch ? world.anotherProcess() : world.store
    let other = Grant(
      id: key.id, user: key.user, token: SessionToken(bytes: [1, 2, 3]), limits: key.limits)
    world.authority.answerResumption(with: .success(other))
    if atLaunch {
      guard case .obstructed(.authority(let cause)) = await store.restore() else {
        Issue.record("restored to \(store.state)")
        return
      }
      #expect(cause.cause == .unparsable)
    } else {
      await #expect(throws: SessionError.self) { try await store.check() }
      #expect(store.state == .loggedIn(key))
    }
    #expect(world.vaultAgrees)
    #expect(world.count(.revoke) == 0)
    #expect(await world.anotherProcess().restore().key != nil)
  }
}
