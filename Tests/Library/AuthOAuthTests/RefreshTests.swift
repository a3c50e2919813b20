import AuthCore
import AuthCoreTesting
import Testing

@testable import AuthOAuth

/// The tokens of the server: rotation, lifetimes, and who is asked about them.
@Suite(.timeLimit(.minutes(10))) struct RefreshTests {
  private let world = OAuthWorld()

  @Test(
    "a renewal puts the new token into the vault, and the session goes on after a new start", arguments: [true, false])
  func rotation(rotates: Bool) async throws {
    let world = OAuthWorld { $0.rotates = rotates }
    let session = try await world.logIn()
    let before = try await world.vault.saved()
    _ = try await world.store.renew()
    #expect((try await world.vault.saved() != before) == rotates)
    // Without limits, also after a restart of the machine.
    world.clock.reboot()
    let later = await world.restored()
    let restored = try #require(later.session)
    #expect(restored.id == session.id)
    #expect(restored.user == session.user)
    _ = try await later.renew()
  }

  @Test("another process renewed first: its token is taken over, and nobody is logged out", arguments: [true, false])
  func overtaken(introspects: Bool) async throws {
    let world = OAuthWorld {
      $0.detectsReuse = false
      $0.introspects = introspects
    }
    let session = try await world.logIn()
    let other = await world.restored()
    _ = try await other.renew()
    _ = try await other.renew()
    _ = try? await world.store.renew()
    #expect(session.isLive)
    _ = try await world.store.renew()
    _ = try await other.check()
  }

  @Test(
    "a server that answers a renewal for another user ends the session, and its new tokens are ended",
    arguments: [true, false])
  func otherUser(rotates: Bool) async throws {
    let world = OAuthWorld { $0.rotates = rotates }
    let session = try await world.logIn()
    world.server.set { $0.impostor = "bob" }
    // The new token is saved before the server is asked for the user.
    _ = try? await world.store.renew()
    while session.isLive { await Task.yield() }
    #expect(session.endReason == .revoked)
    #expect(session.user.username == "alice")
    await world.store.untilQuiet()
    #expect(Set(world.server.forms("/revoke").map { $0["token"] }).count == 1)
  }

  @Test("a password check revokes no token before the logout: some servers then end all sessions of the user")
  func replacedToken() async throws {
    let world = OAuthWorld { $0.endsAll = true }
    try await world.logIn()
    for _ in 1...2 {
      _ = try await world.store.reauthenticate(with: try world.credentials(prompting: true)).key
      _ = try await world.store.renew()
    }
    // Nor if it fails after it got tokens. The last renewal also asks for the user.
    await world.store.untilQuiet()
    world.server.script("/userinfo", 403, "")
    await #expect(throws: SessionError.self) {
      _ = try await world.store.reauthenticate(with: try world.credentials(prompting: true))
    }
    _ = try await world.store.renew()
    #expect(world.server.forms("/revoke").isEmpty)
    #expect(try await world.store.logOutAnyone() == .complete)
    #expect(Set(world.server.forms("/revoke").map { $0["token"] }).count == 4)
  }

  @Test("ten logins of the same user leave ten older tokens beside the session, and a logout ends them all")
  func tenLogins() async throws {
    try await world.logIn()
    for _ in 1...10 { _ = try await world.store.reauthenticate(with: try world.credentials()).key }
    let granted = Set((1...33).map { "refresh-\($0)" })
    #expect(world.server.forms("/revoke").isEmpty)
    #expect(try await world.store.logOutAnyone() == .complete)
    let revoked = Set(world.server.forms("/revoke").compactMap { $0["token"] })
    #expect(revoked.count == 11 && revoked.isSubset(of: granted))
  }

  @Test(
    "without a refresh token, the session ends with its access token, or when the server refuses that",
    arguments: [true, false])
  func onlyAccessToken(introspects: Bool) async throws {
    let world = OAuthWorld { $0.refreshes = false }
    func authority() -> OAuthAuthority { world.authority { if !introspects { $0.endpoints[.introspection] = nil } } }
    func process() -> SessionStore {
      SessionStore(authority: authority(), vault: world.vault, clock: world.clock)
    }
    func logIn() async throws -> SessionStore {
      let authority = authority()
      let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
      _ = try await store.loggedIn(try world.credentials(at: authority))
      return store
    }
    let store = try await logIn()
    let lent = try await store.session?.withAccess { token in token.header }
    _ = try await store.renew()
    let other = process()
    _ = await other.restore()
    let adopted = try #require(other.session)
    #expect(try await adopted.withAccess { token in token.header } == lent)
    #expect(world.server.forms("/token").count == 1)
    world.clock.advance(by: .seconds(300))
    await #expect(throws: AccessError<Never>.session(.ended(.expired(.absolute)))) {
      try await adopted.withAccess { _ in }
    }
    await process().restore()

    let next = try await logIn()
    let held = try #require(next.session)
    // The provider ends it.
    if introspects {
      world.server.script("/introspect", 200, #"{"active": false}"#)
    } else {
      world.server.script("/userinfo", 401, #"{"error": "invalid_token"}"#)
    }
    await #expect(throws: SessionError.ended(.revoked)) { try await next.renew() }
    #expect(held.endReason == .revoked)

    #expect(try await logIn().logOutAnyone() == .complete)
    #expect(world.server.forms("/revoke").last?["token_type_hint"] == "access_token")
  }

  @Test("a page in place of an answer about the user says nothing about an access token")
  func pageOfProxy() async throws {
    let world = OAuthWorld { $0.refreshes = false }
    let authority = world.authority { $0.endpoints[.introspection] = nil }
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    _ = try await store.loggedIn(try world.credentials(at: authority))
    world.server.script("/userinfo", 401, "<html>Log in to this network</html>")
    await #expect(throws: SessionError.self) { try await store.renew() }
    _ = try await store.renew()
  }

  @Test("what the server says of the user is saved with the session, and changes after a renewal")
  func attributes() async throws {
    func answer(_ email: String, _ name: String) {
      world.server.script(
        "/userinfo", 200,
        #"{"sub": "id-alice", "preferred_username": "alice", "name": "\#(name)", "email": "\#(email)", "age": 7}"#)
    }
    answer("a=&b@example.org", "Alice")
    let session = try await world.logIn()
    #expect(session.user.attributes == ["email": "a=&b@example.org"])
    let restored = await world.restored()
    #expect(restored.session?.user == session.user)
    answer("new@example.org", "Alice B.")
    _ = try await restored.renew()
    var renewed = try await restored.check().user
    // The server is asked for the user after the save.
    while renewed == session.user { renewed = try await restored.check().user }
    #expect(renewed.attributes == ["email": "new@example.org"])
    #expect(renewed.displayName == "Alice B.")
    // A server that cannot say who the user is does not lose the new token.
    let before = try await world.vault.saved()
    world.server.script("/userinfo", 503, "")
    #expect(try await restored.renew().user == renewed)
    #expect(try await world.vault.saved() != before)
    _ = try await restored.renew()
  }

  @Test("an answer about the user without the server's name for the user changes nothing at a renewal")
  func namelessUser() async throws {
    let session = try await world.logIn()
    world.server.script("/userinfo", 200, #"{"preferred_username": "alice", "name": "Other"}"#)
    #expect(try await world.store.renew().user == session.user)
    #expect(world.server.forms("/revoke").allSatisfy { $0["token"] != "refresh-5" })
    _ = try await world.store.renew()
  }

  @Test("empty and very long text about the user counts as none, so that the session fits into a vault")
  func unusableText() async throws {
    let long = "data:image/png;base64," + String(repeating: "A", count: 40_000)
    world.server.script(
      "/userinfo", 200,
      #"{"sub": "1", "username": "", "email": "a@b.example", "name": "\#(long)", "picture": "\#(long)"}"#)
    let user = User(
      id: UserID(rawValue: "https://server.example 1"), username: "a@b.example", displayName: "a@b.example",
      role: .member,
      attributes: ["email": "a@b.example"])
    #expect(try await world.logIn().user == user)
    for nobody in ["", long] {
      world.server.script("/userinfo", 200, #"{"sub": "\#(nobody)"}"#)
      await #expect(throws: AuthorityError<CredentialsRejection>.self) { try await world.grant() }
    }
  }

  @Test("what an authority remembers does not grow without end, and the newest entries remain")
  func remembers() {
    var recent = Recent<Int, Int>()
    for number in 0..<1000 { recent[number] = number }
    #expect((0..<1000).filter { recent[$0] != nil } == Array(936..<1000))
    #expect(recent.removeValue(forKey: 999) == 999 && recent[999] == nil)
  }

  @Test("the user is who the server says at userinfo, at introspection, or beside the tokens")
  func sources() async throws {
    let introspected = world.authority { $0.endpoints[.userInfo] = nil }
    let grant = try await world.grant(at: introspected)
    #expect(grant.user.username == "alice")
    #expect(try await introspected.resume(grant.token).user == grant.user)
    let claimed = world.authority {
      $0.endpoints[.userInfo] = nil
      $0.endpoints[.introspection] = nil
    } user: { claims in
      guard let name = claims["login"] else { return nil }
      return User(
        id: UserID(rawValue: name), username: name, displayName: claims.list("groups").joined(separator: " "),
        role: claims["staff"] == "true" ? .administrator : .member)
    }
    world.server.script(
      "/token", 200,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "login": 42, "staff": true, "groups": ["x", 7, "y"]}"#
    )
    let known = try await world.grant(at: claimed).user
    #expect(
      known
        == User(
          id: UserID(rawValue: "https://server.example 42"), username: "42", displayName: "x y", role: .administrator))
    await #expect(throws: AuthorityError<CredentialsRejection>.self) { try await world.grant(at: claimed) }
    // The tokens of a login that failed are not: some servers would end all sessions of the user.
    #expect(world.server.forms("/revoke").isEmpty)
  }

  @Test("if the server cannot say at a login who the user is, the login fails: the user never changes later")
  func introspectionFails() async throws {
    let authority = world.authority(patience: .zero) {
      $0.endpoints[.userInfo] = nil
    } user: { claims in
      (claims["login"] ?? claims["username"]).map {
        User(id: UserID(rawValue: $0), username: $0, displayName: $0, role: .member)
      }
    }
    for (status, body, isGranted) in [(503, "", false), (429, "", false), (403, #"{"error": "access_denied"}"#, true)] {
      world.server.script(
        "/token", 200, #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "login": "alice"}"#)
      world.server.script("/introspect", status, body)
      let grant = try? await world.grant(at: authority)
      #expect((grant != nil) == isGranted, "\(status)")
    }
    #expect(world.server.forms("/revoke").isEmpty)
  }

  @Test("a server that does not know refresh tokens at introspection is not asked about them again")
  func unknownThere() async throws {
    let world = OAuthWorld { $0.introspects = false }
    try await world.logIn()
    let asked = world.server.forms("/introspect").count
    _ = try await world.store.check()
    #expect(world.server.forms("/introspect").count == asked)
  }

  @Test("a restart of the machine ends a session with limits")
  func limits() async throws {
    try await world.store.loggedIn(try world.credentials(), limits: LimitRequest(absolute: .seconds(600)))
    world.clock.reboot()
    #expect(await world.restored().state == .loggedOut(.ended(.rebooted)))
  }

  @Test(
    "a lifetime counts from the request, without its fraction; one beyond reason does not trap; without one, a token does not expire",
    arguments: [
      ("300", 300), ("\"300\"", 300), ("300.0", 300), ("3e2", 300), ("299.9", 299), ("\"299.9\"", 299), ("0.5", 1),
      ("0", nil), ("-0.5", nil), ("-1", nil),
      ("9223372036854775807", 1 << 31), ("1e300", nil),
      ("\"soon\"", nil), ("null", nil), ("99999999999999999999", nil), ("{}", nil),
    ] as [(String, Int?)])
  func lifetimes(value: String, seconds: Int?) async throws {
    world.server.script(
      "/token", 200,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "bearer", "expires_in": \#(value)}"#)
    world.server.script("/userinfo", 200, #"{"sub": "1"}"#)
    let now = try world.clock.now()
    world.server.set { $0.whileUnderWay = { world.clock.advance(by: .seconds(50)) } }
    let grant = try await world.grant()
    #expect(grant.accessToken?.deadline == seconds.map { .at(now.advanced(by: .seconds($0))) } ?? .never)
  }
}
