import AuthCore
import AuthCoreTesting
import Testing
import TextFormat

@testable import AuthOAuth

/// The login in the browser.
@Suite(.timeLimit(.minutes(10))) struct AuthorizationTests {
  private let world = OAuthWorld()

  private func url(_ redirectURI: String = "com.example.app:/login", at other: OAuthAuthority? = nil) throws -> String {
    try (other ?? world.authority).authorizationURL(redirectURI: redirectURI)
  }

  private func fields(_ url: String) throws -> [String: String] {
    let query = try #require(url.split(separator: "?").last)
    return try #require(Form.fields(query))
  }

  @Test("a login asks for a code with S256, also if the app's own parameters say otherwise, and gives a session")
  func logsIn() async throws {
    let mine = ["code_challenge_method": "plain", "state": "mine", "response_type": "token", "audience": "a&b=c"]
    let asked = try fields(try world.authority.authorizationURL(redirectURI: "app:/login", parameters: mine))
    #expect(asked["response_type"] == "code")
    #expect(asked["code_challenge_method"] == "S256")
    #expect(asked["code_challenge"]?.count == 43)
    #expect(asked["state"]?.count == 43)
    #expect(asked["prompt"] == nil)
    let prompting = try fields(try world.authority.authorizationURL(redirectURI: "app:/login", prompting: true))
    // The server then says when the password was entered. Glewlwyd refuses `max_age=0`.
    #expect(prompting["prompt"] == "login" && prompting["max_age"] == "900")
    #expect(asked["nonce"]?.count == 43 && asked["nonce"] != prompting["nonce"])
    let consenting = try fields(
      try world.authority.authorizationURL(
        redirectURI: "app:/login", prompting: true, parameters: ["prompt": "none login consent", "max_age": "0"]))
    #expect(consenting["prompt"] == "login consent" && consenting["max_age"] == "900")
    let chosen = ["prompt": "select_account", "max_age": "60"]
    let choosing = try fields(
      try world.authority.authorizationURL(redirectURI: "app:/login", parameters: chosen))
    #expect(choosing["prompt"] == "select_account" && choosing["max_age"] == "60")
    #expect(asked["audience"] == "a&b=c")
    #expect(try fields(try url())["state"] != asked["state"])
    let session = try await world.logIn()
    #expect(
      session.user
        == User(
          id: UserID(rawValue: "https://server.example id-alice"), username: "alice", displayName: "alice",
          role: .member))
    // Never the refresh token.
    #expect(try await session.withAccess { $0.header } == "Bearer access-2")
  }

  @Test(
    "an address that does not answer the request is refused, and the right one still counts, once",
    arguments: [
      "com.example.app:/login?code=code&ISSUER&state=guessed", "com.example.app:/login?code=code&ISSUER",
      // Two readers would take different ones.
      "com.example.app:/login?code=code&state=STATE&ISSUER&code=injected",
      "com.evil.app:/login?code=code&state=STATE&ISSUER", "com.example.app:/login/..?code=code&state=STATE&ISSUER",
      "com.example.app:/loginx?code=code&state=STATE&ISSUER", "com.example.app:/LOGIN?code=code&state=STATE&ISSUER",
      "https://server.example/login?code=code&state=STATE&ISSUER", "?code=code&state=STATE&ISSUER", "STATE", "",
    ])
  func foreign(forged: String) throws {
    let url = try url()
    let right = try world.answer("com.example.app:/login?code=code&state=STATE&ISSUER", to: url)
    #expect(throws: OAuthError.rejected(.foreignResponse)) {
      try world.authority.credentials(from: try world.answer(forged, to: url))
    }
    _ = try world.authority.credentials(from: right)
    // A replayed code would end the session that it began.
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try world.authority.credentials(from: right) }
  }

  @Test(
    "what the server says in place of a code is told, and nothing that somebody made up",
    arguments: [
      ("error=access_denied", OAuthError.rejected(.denied)), ("error=invalid_scope", .refused("invalid_scope")),
      ("error=%1B%5B2Jcall%20555-1234", .refused("unknown_error")), ("code=", .rejected(.foreignResponse)),
      ("codes=code", .rejected(.foreignResponse)),
    ])
  func refusal(query: String, error: OAuthError) throws {
    let address = try world.answer("com.example.app:/login?\(query)&state=STATE&ISSUER", to: try url())
    #expect(throws: error) { try world.authority.credentials(from: address) }
  }

  @Test(
    "an answer with the right state that names another server, or none, ends the login in words",
    arguments: ["code=code", "error=access_denied", "error=invalid_scope"],
    [
      ("&iss=https://other.example", "names the issuer https://other.example, not https://server.example"),
      ("&iss=%1B%5B2Jcall%20555-1234", "names another issuer than https://server.example"),
      ("", "does not say that it comes from https://server.example"),
    ])
  func otherIssuer(answer: String, issuer: (fields: String, reason: String)) throws {
    let url = try url()
    let address = try world.answer("com.example.app:/login?\(answer)&state=STATE\(issuer.fields)", to: url)
    let failure = #expect(throws: OAuthError.self) { try world.authority.credentials(from: address) }
    guard case .unavailable(let cause)? = failure else { throw try #require(failure) }
    #expect(cause.code == "oauth_other_issuer")
    #expect(cause.description == "The answer to the login is refused: it \(issuer.reason).")
    let right = try world.answer("com.example.app:/login?code=c&state=STATE&ISSUER", to: url)
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try world.authority.credentials(from: right) }
  }

  @Test(
    "the slash that systems and servers add to an address without a path is no other address, and nothing else is",
    arguments: [
      ("com.example.app://callback", "com.example.app://callback/", true),
      ("com.example.app://callback", "com.example.app://callback", true),
      ("http://127.0.0.1:8000", "http://127.0.0.1:8000/", true),
      ("com.example.app://callback", "com.example.app://callback//", false),
      ("com.example.app://callback", "com.example.app://callback/a", false),
      ("com.example.app://callback", "com.example.app:/callback/", false),
      ("com.example.app://callback/", "com.example.app://callback", false),
      ("com.example.app://callback/a", "com.example.app://callback/a/", false),
      ("com.example.app:/login", "com.example.app:/login/", false),
      ("com.example.app:login", "com.example.app:login/", false),
    ])
  func slash(redirectURI: String, answered: String, isAnswer: Bool) async throws {
    let url = try url(redirectURI)
    let code = try #require(try fields(try world.server.browse(url))["code"])
    let address = try world.answer("\(answered)?code=\(code)&state=STATE&ISSUER", to: url)
    guard isAnswer else {
      #expect(throws: OAuthError.rejected(.foreignResponse)) { try world.authority.credentials(from: address) }
      return
    }
    // The server gets the address as it was in the first request (RFC 6749, section 4.1.3).
    try await world.store.loggedIn(try world.authority.credentials(from: address))
  }

  @Test("a server with a parameter in its address, and a port that was chosen just now")
  func address() throws {
    let authority = world.authority { $0.endpoints[.authorization] = "https://server.example/authorize?tenant=1" }
    let url = try url("http://127.0.0.1:49152/", at: authority)
    #expect(url.hasPrefix("https://server.example/authorize?tenant=1&"))
    _ = try authority.credentials(
      from: try world.answer("http://127.0.0.1:49152/?code=code&state=STATE&ISSUER", to: url))
  }

  @Test(
    "a login page that is not secure is not opened",
    arguments: ["http://server.example/authorize", "javascript:alert(1)", "https://a@server.example/", nil])
  func insecure(endpoint: String?) throws {
    let authority = world.authority { $0.endpoints[.authorization] = endpoint }
    #expect(throws: OAuthError.misconfigured("The server has no secure address as authorization_endpoint.")) {
      try url(at: authority)
    }
  }

  @Test(
    "a password that a person types is never sent, nor credentials that this authority did not get, or got for a session"
  )
  func typed() async throws {
    let used = try world.credentials()
    try await world.store.loggedIn(used)
    try await world.store.logOutAnyone()
    let requests = world.server.requests
    let typed = ["marble kettle window harvest", "grant_type=refresh_token&refresh_token=stolen", ""]
    let foreign: [Credentials] = [
      .token(Secret("stolen")), .code(Secret("stolen"), verifier: Secret("verifier")),
      // The code of one server is not given to another.
      try world.credentials(at: world.authority()), used,
    ]
    for credentials in foreign + typed.map({ .password(username: "alice", password: Secret($0)) }) {
      let failure = await #expect(throws: SessionError.self) { try await world.store.loggedIn(credentials) }
      #expect(failure?.code == "login_foreign")
    }
    #expect(world.server.requests == requests)
  }

  @Test("a code without its verifier gives nothing")
  func injectedCode() async throws {
    let code = try #require(try fields(try world.server.browse(try url()))["code"])
    let address = try world.answer("com.example.app:/login?code=\(code)&state=STATE&ISSUER", to: try url())
    let credentials = try world.authority.credentials(from: address)
    let failure = await #expect(throws: SessionError.self) { try await world.store.loggedIn(credentials) }
    #expect(failure?.code == "login_expired")
  }

  @Test(
    "an address to which a browser would not return as it is written is refused",
    arguments: [
      ("com.example.app:/login?a=b", false), ("com.example.app:/login#a", false), ("http://127.0.0.1:8000", true),
      ("http://LOCALHOST:8000/", false), ("https://App.example/login", false), ("COM.example.app:/login", false),
      ("http://127.0.0.1:80/", false), ("https://app.example:443/", false), ("http://127.0.0.1:8000/a/../b", false),
      ("http://127.0.0.1:8000/a b", false), ("login", false), ("", false), ("http://[::1]:8000/", true),
      ("http://127.0.0.1:8000/", true), ("https://app.example/Login", true), ("com.example.app:login", true),
      ("com.example.app://login", true),
    ])
  func redirectAddress(address: String, isMatched: Bool) throws {
    if isMatched { return #expect(try url(address).hasPrefix("https://server.example/authorize?")) }
    #expect(throws: OAuthError.self) { try url(address) }
  }

  @Test("logins that nobody answers are forgotten, the oldest first")
  func unanswered() throws {
    let urls = try (0...64).map { _ in try url() }
    func answer(_ url: String) throws -> Credentials {
      try world.authority.credentials(
        from: try world.answer("com.example.app:/login?code=c&state=STATE&ISSUER", to: url))
    }
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try answer(urls[0]) }
    _ = try answer(urls[1])
    _ = try answer(urls[64])
  }

  @Test("another process continues a login in the browser, once, and only at its server and client")
  func pending() async throws {
    let world = OAuthWorld { $0.identifies = true }
    let url = try world.authority.authorizationURL(redirectURI: "com.example.app:/login", prompting: true)
    let saved = try #require(world.authority.pendingLogin(of: url))
    let address = try world.server.browse(url)
    #expect(!world.authority(clientID: "other").resumeLogin(saved))
    #expect(!world.authority { $0.issuer = "https://other.example" }.resumeLogin(saved))
    #expect(!world.authority.resumeLogin(Secret("state=a")))
    let next = world.authority()
    #expect(next.pendingLogin(of: url) == nil && next.resumeLogin(saved))
    let store = SessionStore(authority: next, vault: world.vault, clock: world.clock)
    let session = try await store.loggedIn(try next.credentials(from: address))
    _ = try FreshSession(session)
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try next.credentials(from: address) }
    #expect(next.pendingLogin(of: url) == nil)
    #expect("\(saved)".contains("verifier") == false)
  }

  @Test("only a login that asks for the password makes a session fresh")
  func freshness() async throws {
    let world = OAuthWorld { $0.identifies = true }
    let session = try await world.logIn()
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(session) }
    let again = try await world.store.reauthenticate(with: try world.credentials(prompting: true)).key
    _ = try FreshSession(again)
    world.clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(again) }
  }

  @Test(
    "a password counts as recent only if the ID token says that it was entered for this login",
    arguments: [
      // It may have been entered a minute before the login began, and the login took ten minutes.
      (660, true), (661, false), (0, true), (-5, true), (nil, false),
    ] as [(Int64?, Bool)])
  func provenFreshness(age: Int64?, isProven: Bool) async throws {
    for identifies in [true, false] {
      let world = OAuthWorld {
        $0.identifies = identifies
        $0.passwordEntered = age.map { ServerDouble.wallClock - $0 } ?? -1
      }
      try await world.logIn()
      let credentials = try world.credentials(prompting: true) { world.clock.advance(by: .seconds(600)) }
      let session = try await world.store.reauthenticate(with: credentials).key
      #expect(((try? FreshSession(session)) != nil) == (isProven && identifies))
      // Who did not ask for the password proves nothing, however recently it was entered.
      let unasked = try await world.store.reauthenticate(with: try world.credentials()).key
      #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(unasked) }
    }
  }

  @Test("the APIs that an app names are sent at the login, and with each exchange, and other parameters are not")
  func resources() async throws {
    let apis = ["https://api.example/a b", "https://api.example/c"]
    let authority = world.authority(resources: apis)
    let sent = "resource=https%3A%2F%2Fapi.example%2Fa%20b&resource=https%3A%2F%2Fapi.example%2Fc"
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login", parameters: ["audience": "x"])
    #expect(url.contains(sent))
    _ = try await authority.deviceAuthorization()
    let grant = try await world.grant(at: authority)
    try await authority.revoke(try await authority.renew(grant.token).token, reason: .userAsked)
    for request in world.server.requests where request.method == "POST" {
      let body = String(decoding: request.body, as: UTF8.self)
      let takesThem = request.url.hasSuffix("/token") || request.url.hasSuffix("/device")
      #expect(body.contains(sent) == takesThem && !body.contains("audience"), "\(request.url)")
    }
  }

  @Test(
    "a code that expired before a password check is no wrong password, and changes nothing",
    arguments: [(400, "invalid_grant"), (403, "invalid_code")])
  func expiredCode(status: Int, code: String) async throws {
    try await world.logIn()
    world.server.script("/token", status, #"{"error": "\#(code)"}"#)
    let failure = await #expect(throws: SessionError.self) {
      _ = try await world.store.reauthenticate(with: try world.credentials(prompting: true))
    }
    #expect(failure?.code == "login_expired")
    _ = try await world.store.renew()
  }

  @Test("a login of somebody else does not make a session fresh, and leaves no tokens behind")
  func otherUser() async throws {
    try await world.logIn()
    let credentials = try world.credentials("bob", prompting: true)
    let failure = await #expect(throws: SessionError.self) {
      _ = try await world.store.reauthenticate(with: credentials)
    }
    #expect(failure?.code == "login_other_user")
    #expect(world.server.forms("/revoke").count == 1)
    #expect(try await world.store.check().user.username == "alice")
  }
}
