import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("A found session is adopted only as itself", .timeLimit(.minutes(10)))
struct AdoptionTests: InWorld {
  let world = World()
  private let key: LoggedInSession

  init() async throws { key = try await world.store.loggedIn(World.alice) }

  /// A grant of an administrator whose session has the same name as that of alice.
  ///
  /// An authority that numbers sessions per user grants it.
  private func root(_ token: SessionToken) -> Grant {
    let root = User(id: UserID(rawValue: "id-root"), username: "root", displayName: "root", role: .administrator)
    return Grant(id: key.id, user: root, token: token, limits: key.limits)
  }

  @Test(
    "the key of one user does not become that of another user whose session has the same name",
    arguments: [true, false])
  func sameNameOfAnotherUser(byCheck: Bool) async throws {
    // Another process logs in an administrator, whose session has the same name.
    let token = SessionToken(bytes: [1, 2, 3])
    vault.content = .token(token)
    if !byCheck { authority.script(\.renewals, .failure(.rejected(.superseded))) }
    authority.script(\.resumptions, .success(root(token)))
    let found = byCheck ? try await store.check() : nil
    if !byCheck { await #expect(throws: SessionError.ended(.switchedUser)) { try await store.renew() } }
    #expect(key.endReason == .switchedUser)
    #expect(throws: RoleError.ended(.switchedUser)) { try AdminSession(key) }
    #expect(throws: LeaseError<Never>.ended(.switchedUser)) { try key.withLease { _ in } }
    #expect(store.session?.user.username == "root")
    #expect(found == nil || found == store.session)
  }

  @Test(
    "an answer about another user, or with a token that resume changed, is refused, and loses nothing",
    arguments: [true, false], [true, false])
  func misanswered(isOtherUser: Bool, atLaunch: Bool) async throws {
    // Only a process that knows the user of the token can tell.
    if isOtherUser && atLaunch { return }
    let other = Grant(id: key.id, user: key.user, token: SessionToken(bytes: [1, 2, 3]), limits: key.limits)
    authority.script(\.resumptions, .success(isOtherUser ? root(key.record.grant.token) : other))
    let failure: SessionError?
    if atLaunch {
      let outcome = await world.anotherProcess().restore()
      failure = if case .obstructed(let obstacle) = outcome { SessionError(obstacle) } else { nil }
    } else {
      failure = await #expect(throws: SessionError.self) { try await store.check() }
      #expect(store.state == .loggedIn(key))
    }
    #expect(failure?.unavailability?.cause == .unparsable)
    #expect(world.vaultAgrees && world.count(.revoke) == 0)
    #expect(await world.anotherProcess().restore().key != nil)
  }

  @Test(
    "a renewal or password check answered for another user changes nothing, and its token is revoked",
    arguments: [Request.renew, .reauthenticate])
  func answeredForAnother(request: Request) async throws {
    let foreign = try #require(try await authority.authenticate(World.bob, limits: .standard).grant)
    let answered = Grant(id: key.id, user: foreign.user, token: foreign.token, limits: foreign.limits)
    authority.script(\.reauthentications, .success(.granted(answered)))
    authority.script(\.renewals, .success(answered))
    let failure = await #expect(throws: SessionError.self) { try await request.send(store) }
    #expect(failure?.unavailability?.cause == .unparsable)
    #expect(store.session == key && key.isLive)
    await until { world.vaultAgrees }
  }

  @Test("a grant with an empty token replaces no good one", arguments: Request.saving, [true, false])
  func emptyToken(request: Request, isAccessToken: Bool) async throws {
    let token = SessionToken(bytes: isAccessToken ? [1, 2, 3] : [])
    let access = isAccessToken ? AccessToken("", deadline: .never) : nil
    let grant = Grant(id: key.id, user: key.user, token: token, limits: key.limits, accessToken: access)
    authority.script(\.renewals, .success(grant))
    authority.script(\.reauthentications, .success(.granted(grant)))
    authority.script(\.authentications, .success(.granted(grant)))
    let failure = await #expect(throws: SessionError.self) { try await request.send(store) }
    #expect(failure?.unavailability?.cause == .unparsable)
    #expect(store.session == key && world.vaultAgrees)
  }

  @Test("a renewal that the authority refuses as replaced, without a newer token, is no success")
  func contradiction() async throws {
    authority.script(\.renewals, .failure(.rejected(.superseded)))
    let failure = await #expect(throws: SessionError.self) { try await store.renew() }
    #expect(failure?.unavailability?.cause == .unparsable && store.session == key)
  }

  @Test("a grant that the app got itself continues the session once its token is saved, and another's does not")
  func ownGrant() async throws {
    let token = key.record.grant.token
    let grant = try #require(try await authority.reauthenticate(token, with: World.alice, limits: .standard).grant)
    vault.failWrites(World.diskError)
    await #expect(throws: SessionError.notSaved(World.diskError)) { try await store.adopt(grant) }
    #expect(store.session == key && vault.content == .token(token))
    vault.failWrites(nil)
    #expect(try await store.adopt(grant).id == key.id)
    #expect(key.isLive && world.vaultAgrees && vault.content == .token(grant.token))
    let foreign = try #require(try await authority.authenticate(World.bob, limits: .standard).grant)
    await #expect(throws: SessionError.self) { try await store.adopt(foreign) }
    #expect(key.isLive && store.session?.user == key.user)
    await until { world.vaultAgrees }
  }
}
