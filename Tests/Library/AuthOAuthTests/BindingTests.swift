import AuthCore
import AuthCoreTesting
import Testing

@testable import AuthOAuth

/// A saved session belongs to one server and one client.
@Suite(.timeLimit(.minutes(10))) struct BindingTests {
  private let world = OAuthWorld()

  /// An authority for another server or another client, in the same app.
  private func other(_ change: Change) -> OAuthAuthority {
    switch change {
    case .issuer: world.authority { $0.issuer = "https://other.example" }
    case .client: world.authority(clientID: "other")
    }
  }

  enum Change: CaseIterable { case issuer, client }

  @Test(
    "a session of another server or client is not here: it is not shown, not sent, not replaced",
    arguments: Change.allCases)
  func elsewhere(change: Change) async throws {
    let session = try await world.logIn()
    let (saved, requests) = (try await world.vault.saved(), world.server.requests)
    let authority = other(change)
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    guard case .obstructed(.authority(let cause)) = await store.restore() else {
      Issue.record("\(store.state)")
      return
    }
    #expect(cause.code == "session_of_other_server" && cause.description.contains("https://server.example"))
    #expect(store.session == nil && store.state.lastKnownUser == nil)
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login")
    let issuer = change == .issuer ? "https://other.example" : "https://server.example"
    let login = try authority.credentials(
      from: try world.answer("com.example.app:/login?code=c&state=STATE&iss=\(issuer)", to: url))
    let failure = await #expect(throws: SessionError.self) { try await store.loggedIn(login) }
    #expect(failure?.code == "session_of_other_server")
    for operation in [authority.resume, authority.renew] {
      await #expect(throws: AuthorityError<SessionRejection>.unavailable(cause)) { try await operation(saved) }
    }
    #expect(world.server.requests == requests)
    #expect(try await world.vault.saved() == saved)
    // A logout is asked for: it deletes the session here, says so, and sends nothing.
    guard case .partial(let left, let causes) = try await store.logOutAnyone() else {
      Issue.record("the session lives, and nobody says so")
      return
    }
    #expect(left.notRevoked && !left.notErased && causes == [cause.description])
    #expect(world.server.requests == requests && session.isLive)
  }

  @Test("a saved session that names no server is not used; a login replaces it")
  func earlier() async throws {
    let saved = try await world.grant().token
    let text = String(decoding: saved.bytes, as: UTF8.self)
      .replacing("version=2", with: "version=1").replacing(/&?(iss|client_id)=[^&]*/, with: "")
    world.vault.content = .token(SessionToken(bytes: Array(text.utf8)))
    let requests = world.server.requests
    let store = SessionStore(authority: world.authority(), vault: world.vault, clock: world.clock)
    guard case .obstructed(.authority(let cause)) = await store.restore() else {
      Issue.record("\(store.state)")
      return
    }
    #expect(cause.code == "session_of_earlier_version" && cause.hint == "Log in again.")
    #expect(world.server.requests == requests)
    _ = try await world.store.loggedIn(try world.credentials())
    #expect(try await world.vault.saved() != SessionToken(bytes: Array(text.utf8)))
  }

  @Test(
    "a renewal that brings a new refresh token is saved, whatever else is in the answer",
    arguments: [
      #"{"access_token": "a", "refresh_token": "NEW"}"#,
      #"{"access_token": "a", "refresh_token": "NEW", "token_type": "mac"}"#,
      #"{"access_token": "\#(String(repeating: "g", count: 12_289))", "refresh_token": "NEW", "token_type": "Bearer"}"#,
      #"{"access_token": "", "refresh_token": "NEW", "token_type": "Bearer"}"#,
      #"{"access_token": "a b", "refresh_token": "NEW", "token_type": "Bearer"}"#,
      #"{"refresh_token": "NEW", "token_type": "Bearer"}"#,
      #"{"access_token": ["a"], "refresh_token": "NEW", "token_type": "Bearer"}"#,
    ])
  func unusableAccessToken(body: String) async throws {
    let session = try await world.logIn()
    world.clock.advance(by: .seconds(301))
    world.server.script("/token", 200, body)
    world.server.script("/token", 200, body.replacing("NEW", with: "NEWER"))
    let failure = await #expect(throws: AccessError<Never>.self) { try await session.withAccess { _ in } }
    #expect(failure.map { "\($0)" }?.contains("no valid access token") == true)
    #expect(world.server.forms("/token").dropFirst(2).allSatisfy { $0["refresh_token"] == "NEW" })
    let saved = try #require(SavedSession(try await world.vault.saved()))
    #expect(saved.refresh.hasPrefix("NEW") && session.isLive)
  }

  @Test("every user and every token that is accepted fits, and a password check without room is refused before it asks")
  func room() async throws {
    let world = OAuthWorld()
    let token = String(repeating: "t", count: 12_000)
    func script(_ number: Int) {
      let name = String(repeating: "é", count: 256)
      world.server.script(
        "/token", 200,
        #"{"access_token": "\#(token)", "refresh_token": "\#(number)\#(token)", "token_type": "Bearer", "expires_in": 300}"#
      )
      world.server.script(
        "/userinfo", 200,
        #"{"sub": "1", "preferred_username": "\#(name)", "name": "\#(name)", "email": "\#(name)", "picture": "\#(name)", "locale": "de"}"#
      )
    }
    script(0)
    try await world.logIn()
    var (checks, failure) = (0, SessionError?.none)
    while failure == nil, checks < 100 {
      script(checks + 1)
      do throws(SessionError) {
        _ = try await world.store.reauthenticate(
          with: try! world.credentials(prompting: true))
        checks += 1
      } catch { failure = error }
      #expect(try await world.vault.saved().bytes.count <= SavedSession.longest)
    }
    #expect(failure?.code == "oauth_too_many_tokens" && checks > 0)
    #expect(world.server.forms("/token").count == checks + 1)
    // It blocks no renewal.
    _ = try await world.store.renew()
  }

  @Test("a profile that grows loses its attributes, and not the session")
  func largeProfile() async throws {
    let authority = world.authority { _ in
    } user: { claims in
      User(
        id: UserID(rawValue: claims["sub"] ?? ""), username: "alice", displayName: "alice", role: .member,
        attributes: ["notes": claims["notes"] ?? ""])
    }
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    world.server.script("/userinfo", 200, #"{"sub": "id-alice", "notes": "short"}"#)
    #expect(try await store.loggedIn(try world.credentials(at: authority)).user.attributes == ["notes": "short"])
    world.server.script("/userinfo", 200, #"{"sub": "id-alice", "notes": "\#(String(repeating: "n", count: 20_000))"}"#)
    _ = try await store.renew()
    while try await store.check().user.attributes != [:] { await Task.yield() }
    #expect(try await world.vault.saved().bytes.count <= SavedSession.longest)
  }
}
