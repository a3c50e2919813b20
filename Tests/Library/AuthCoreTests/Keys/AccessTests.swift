import AuthCoreTesting
import ConcurrencyKit
import Testing

@testable import AuthCore

@Suite("Access tokens", .timeLimit(.minutes(10)))
struct AccessTests: InWorld {
  private struct NotFound: Error, Equatable {}

  let world: World
  private let key: LoggedInSession

  init() async throws { (world, key) = try await Self.lending() }

  /// Alice, logged in, with access tokens of five minutes.
  private static func lending(
    lasting lifetime: Duration = .seconds(300), renewals: Int = 100, executor: WorkExecutor = .callingThread
  ) async throws -> (World, LoggedInSession) {
    let world = World(renewal: RenewalPolicy(limit: renewals), executor: executor)
    world.authority.setAccessTokens(lasting: lifetime)
    return (world, try await world.store.loggedIn(World.alice))
  }

  @Test(
    "the token of the login is lent, and a new one in the last minute of the old one, or in its last quarter",
    arguments: [(lifetime: 300, early: 239), (lifetime: 40, early: 29)], [false, true])
  func renewedBefore(_ token: (lifetime: Int, early: Int), isLeased: Bool) async throws {
    let (world, key) = try await Self.lending(lasting: .seconds(token.lifetime))
    for (wait, lent) in [(0, "access-1"), (token.early, "access-1"), (2, "access-2")] {
      world.clock.advance(by: .seconds(wait))
      #expect(try await key.token(leased: isLeased) == lent)
    }
    #expect(world.count(.renew) == 1)
  }

  @Test("a token that is first lent at its end is renewed before, because the session has had it since its login")
  func firstLentLate() async throws {
    clock.advance(by: .seconds(298))
    #expect(try await key.token() == "access-2")
  }

  @Test(
    "a caller leaves the wait for a token after its limit, or when it is cancelled, and the renewal continues",
    arguments: [nil, Duration.seconds(2)], [false, true])
  func leaves(limit: Duration?, isLeased: Bool) async throws {
    let (world, key) = try await Self.lending(executor: .separateThreads)
    world.clock.advance(by: .seconds(400))
    world.authority.hold(.renew)
    let waiting = Task.immediate { try await key.token(leased: isLeased, within: limit) }
    await world.authority.waitUntilHeld(.renew)
    if let limit {
      await world.clock.reachLimit(in: limit)
    } else {
      waiting.cancel()
    }
    let failure = await #expect(throws: (any Error).self) { try await waiting.value }
    #expect("\(try #require(failure))".contains("its work continues"))
    world.authority.release(.renew)
    #expect(try await key.token() == "access-2")
    #expect(world.count(.renew) == 1)
  }

  @Test("many callers share one renewal, also those whose token a server refused", arguments: [true, false])
  func shared(isRefused: Bool) async throws {
    #expect(try await key.token() == "access-1")
    if isRefused { authority.refuseAccessTokens() } else { clock.advance(by: .seconds(400)) }
    authority.hold(.renew)
    // Each runs until it waits, so all wait before the authority answers.
    let callers = (1...50).map { _ in Task.immediate { try? await key.request(at: authority) } }
    await authority.waitUntilHeld(.renew)
    authority.release(.renew)
    for caller in callers { #expect(await caller.value == "access-2") }
    #expect(world.count(.renew) == 1)
  }

  @Test(
    "another caller's renewal, during the request or just before the command, is not repeated",
    arguments: [true, false])
  func renewedMeanwhile(duringRequest: Bool) async throws {
    let token = try await key.withAccess { (token) async throws in
      guard token.value == "access-1" else { return token.value }
      if duringRequest {
        try await store.renew()
      } else {
        clock.onRead { startAtOnce { _ = try? await store.renew() } }
      }
      throw AccessTokenRefused()
    }
    #expect(token == "access-2")
    #expect(world.count(.renew) == 1)
  }

  @Test("threads that race for the token renew once in each round")
  func races() async throws {
    let (world, key) = try await Self.lending(renewals: .max, executor: .separateThreads)
    for round in 1...20 {
      world.authority.refuseAccessTokens()
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...8 {
          group.addTask {
            let token = try? await key.request(at: world.authority)
            #expect(token == "access-\(round + 1)")
          }
        }
      }
      #expect(world.count(.renew) == round)
    }
  }

  @Test("a refused request is tried once more, and not twice; then the store asks whether the session has ended")
  func refused() async throws {
    authority.refuseAccessTokens()
    #expect(try await key.request(at: authority) == "access-2")
    let tried = Locked<[String]>([])
    await #expect(throws: AccessError<AccessTokenRefused>.body(AccessTokenRefused())) {
      try await key.withAccess { (token) async throws(AccessTokenRefused) in
        let value = token.value
        tried.withLock { $0.append(value) }
        throw AccessTokenRefused()
      }
    }
    #expect(tried.withLock { $0 } == ["access-2", "access-3"])
    #expect(authority.log.last == .resume && key.isLive)
  }

  @Test("a server that refuses even a new token reveals the end of the session", arguments: [true, false])
  func ended(atRenewal: Bool) async throws {
    let token = try #require(authority.liveTokens.first)
    let tried = Counter()
    await #expect(throws: AccessError<AccessTokenRefused>.session(.ended(.revoked))) {
      try await key.withAccess { (_) async throws(AccessTokenRefused) in
        tried.add(1)
        if tried.value == (atRenewal ? 1 : 2) { authority.end(token, .revoked) }
        throw AccessTokenRefused()
      }
    }
    #expect(tried.value == (atRenewal ? 1 : 2) && !key.isLive)
  }

  @Test("another error of the request is not tried again")
  func otherError() async throws {
    await #expect(throws: AccessError<NotFound>.body(NotFound())) {
      try await key.withAccess { (_) async throws(NotFound) in throw NotFound() }
    }
    #expect(world.count(.renew) == 0)
  }

  @Test("a token that is still valid is lent when there can be no other")
  func stillGood() async throws {
    #expect(try await key.token() == "access-1")
    clock.advance(by: .seconds(270))
    authority.fail(.renew, with: .unavailable(World.offline))
    #expect(try await key.token() == "access-1")
    clock.advance(by: .seconds(31))
    await #expect(throws: AccessError<Never>.session(.unavailable(World.offline))) { try await key.token() }
    #expect(key.isLive)
  }

  @Test("an authority whose tokens end immediately is not asked without end")
  func limited() async throws {
    let (world, key) = try await Self.lending(lasting: .zero, renewals: 3)
    world.authority.setRotation(true)
    for _ in 1...10 {
      await #expect(throws: AccessError<Never>.self) { try await key.token() }
    }
    #expect(world.count(.renew) == 3)
  }

  @Test("at the limit of renewals, a refused token is not reported as one that the authority did not grant")
  func refusedAtTheLimit() async throws {
    let (world, key) = try await Self.lending(renewals: 1)
    var failures: [AccessError<AccessTokenRefused>] = []
    for _ in 1...2 {
      do throws(AccessError<AccessTokenRefused>) {
        try await key.withAccess { (_: borrowing LentAccessToken) async throws(AccessTokenRefused) in
          throw AccessTokenRefused()
        }
      } catch {
        failures.append(error)
      }
    }
    #expect(failures.first == .body(AccessTokenRefused()) && failures.count == 2)
    #expect("\(try #require(failures.last))" == "A server refused the access token, and the store got no other one.")
    #expect(world.count(.renew) == 1)
  }

  @Test("activity uses up no renewal that a request needs when a server refuses its token")
  func ownBudget() async throws {
    let (world, key) = try await Self.lending(renewals: 3)
    for _ in 1...5 { try await world.store.renew() }
    world.authority.refuseAccessTokens()
    #expect(try await key.request(at: world.authority) == "access-5")
  }

  @Test("each of many requests with tokens of ten seconds gets a valid one")
  func shortTokens() async throws {
    let (world, key) = try await Self.lending(lasting: .seconds(10), renewals: 3)
    for _ in 1...180 {
      world.clock.advance(by: .seconds(1))
      _ = try await key.request(at: world.authority)
    }
    #expect(world.count(.renew) < 40)
  }

  @Test("an authority without access tokens is told apart from the end of the session")
  func none() async throws {
    let world = World()
    let key = try await world.store.loggedIn(World.alice)
    let failure = await #expect(throws: AccessError<Never>.self) { try await key.withAccess { _ in } }
    guard case .session(let error) = failure else { throw try #require(failure) }
    #expect(error.code == "no_access_token")
    #expect(key.isLive)
  }

  @Test("a token without an end is lent until a server refuses it")
  func endless() async throws {
    let grant = key.record.grant
    authority.script(
      \.renewals,
      .success(
        Grant(
          id: grant.id, user: grant.user, token: grant.token, limits: grant.limits,
          accessToken: AccessToken("endless", deadline: .never))))
    for wait in [400, 1300] {
      clock.advance(by: .seconds(wait))
      #expect(try await key.token() == "endless")
    }
    #expect(world.count(.renew) == 1)
  }

  @Test("a restored session lends the saved token until its end, and a check takes none away")
  func restored() async throws {
    let later = try await world.launched()
    let key = try #require(later.session)
    #expect(try await key.withAccess { $0.header } == "Bearer access-1")
    try await later.check()
    #expect(try await key.token() == "access-1")
    #expect(world.count(.renew) == 0)
    clock.advance(by: .seconds(300))
    #expect(try await key.token() == "access-2")
  }

  @Test("after another process exchanged the session's token, the store adopts that one and renews with it")
  func superseded() async throws {
    authority.setRotation(true)
    let other = try await world.launched()
    try await other.renew()
    clock.advance(by: .seconds(400))
    #expect(try await key.token() == "access-3")
  }

  @Test("a logout waits for the request, and then nothing is lent")
  func logout() async throws {
    let logout = try await key.withAccess { (_) async in
      let logout = store.beginLogOutAnyone()
      #expect(!key.isLive && world.count(.revoke) == 0)
      return logout
    }
    #expect(try await logout.value() == .complete)
    await #expect(throws: AccessError<Never>.session(.ended(.userAsked))) { try await key.token() }
    #expect(!authority.accepts(accessToken: "access-1"))
  }
}

extension LoggedInSession {
  fileprivate func token(leased: Bool = false, within limit: Duration? = nil) async throws -> String {
    guard leased else { return try await withAccess(within: limit) { $0.value } }
    return try await withLease { (lease: borrowing SessionLease) async throws in
      try await lease.withAccess(within: limit) { $0.value }
    }
  }

  /// Sends a request to a server that trusts the authority, and returns its access token.
  fileprivate func request(at authority: ScriptedAuthority) async throws -> String {
    try await withAccess { (token) async throws(AccessTokenRefused) in
      guard authority.accepts(accessToken: token.value) else { throw AccessTokenRefused() }
      return token.value
    }
  }
}
