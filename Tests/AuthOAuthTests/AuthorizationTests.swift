import AuthCore
import AuthCoreTesting
import Testing
import TextFormat

@testable import AuthOAuth

/// The login in the browser.
@Suite struct AuthorizationTests {
  private let world = OAuthWorld()

  private func fields(_ request: AuthorizationRequest) throws -> [String: String] {
    let query = try #require(request.url.split(separator: "?").last)
    return try #require(Form.fields(query))
  }

  /// The right answer to a request, with changes.
  private func answer(
    _ request: AuthorizationRequest, to place: String = "com.example.app:/login", _ change: [String: String?]
  ) throws -> String {
    var answer: [String: String] = ["code": "code", "iss": ServerDouble.place]
    answer["state"] = try fields(request)["state"]
    for (name, value) in change { answer[name] = value }
    return place + "?" + Form.text(answer)
  }

  @Test("a login asks for a code with S256, and gives a session")
  func logsIn() async throws {
    let request = try world.authority.authorization()
    let asked = try fields(request)
    #expect(asked["response_type"] == "code")
    #expect(asked["code_challenge_method"] == "S256")
    #expect(asked["code_challenge"]?.count == 43)
    #expect(asked["state"]?.count == 43)
    #expect(asked["prompt"] == nil)
    let session = try await world.store.loggedIn(try request.credentials(from: try #require(world.address(request))))
    #expect(
      session.user == User(id: UserID(rawValue: "id-alice"), username: "alice", displayName: "alice", role: .member))
    #expect(try fields(try world.authority.authorization())["state"] != asked["state"])
  }

  @Test(
    "an address that does not answer the request is refused, and the right one still counts",
    arguments: [
      ["state": "guessed"], ["state": nil], ["iss": "https://other.example"], ["iss": nil], ["code": nil],
      ["code": ""],
    ] as [[String: String?]])
  func foreign(change: [String: String?]) throws {
    let request = try world.authority.authorization()
    let forged = try answer(request, change)
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try request.credentials(from: forged) }
    if change.keys.contains("code") { return }
    _ = try request.credentials(from: try answer(request, [:]))
  }

  @Test(
    "an address at another place is refused",
    arguments: [
      "com.evil.app:/login", "com.example.app:/login/..", "com.example.app:/loginx", "https://server.example/login",
      "com.example.app:/LOGIN", "",
    ])
  func otherPlace(place: String) throws {
    let request = try world.authority.authorization()
    let forged = try answer(request, to: place, [:])
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try request.credentials(from: forged) }
  }

  @Test("a parameter that is there twice is refused: two readers would take different ones")
  func twice() throws {
    let request = try world.authority.authorization()
    let forged = try answer(request, [:]) + "&code=injected"
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try request.credentials(from: forged) }
  }

  @Test("a request takes one answer: a replayed code would end the session that it began")
  func once() throws {
    let request = try world.authority.authorization()
    let address = try answer(request, [:])
    _ = try request.credentials(from: address)
    #expect(throws: OAuthError.rejected(.foreignResponse)) { try request.credentials(from: address) }
  }

  @Test(
    "what the server says in place of a code is told, and nothing that somebody made up",
    arguments: [
      ("access_denied", OAuthError.rejected(.denied)), ("invalid_scope", .refused("invalid_scope")),
      ("\u{1B}[2Jcall 555-1234", .refused("unknown_error")),
    ])
  func refusal(code: String, error: OAuthError) throws {
    let request = try world.authority.authorization()
    let address = try answer(request, ["error": code, "code": nil])
    #expect(throws: error) { try request.credentials(from: address) }
  }

  @Test("a parameter of the app replaces none of the standards")
  func parameters() throws {
    let client = OAuthClient(
      id: "app", redirectURI: "com.example.app:/login",
      parameters: ["code_challenge_method": "plain", "state": "mine", "response_type": "token", "audience": "a&b=c"])
    let asked = try fields(try OAuthWorld(client: client).authority.authorization())
    #expect(asked["code_challenge_method"] == "S256")
    #expect(asked["response_type"] == "code")
    #expect(asked["state"] != "mine")
    #expect(asked["audience"] == "a&b=c")
  }

  @Test("a server with a parameter in its address, and a port that was chosen just now")
  func address() throws {
    var server = world.server.server
    server.endpoints[.authorization] = "https://server.example/authorize?tenant=1"
    let request = try world.server.authority(world.clock, server: server)
      .authorization(redirectURI: "http://127.0.0.1:49152/")
    #expect(request.url.hasPrefix("https://server.example/authorize?tenant=1&"))
    _ = try request.credentials(from: try answer(request, to: "http://127.0.0.1:49152/", [:]))
  }

  @Test(
    "a login page that is not secure is not opened",
    arguments: ["http://server.example/authorize", "javascript:alert(1)", "https://a@server.example/", nil])
  func insecure(endpoint: String?) throws {
    var server = world.server.server
    server.endpoints[.authorization] = endpoint
    let authority = world.server.authority(world.clock, server: server)
    #expect(throws: OAuthError.misconfigured("The server has no secure address as authorization_endpoint.")) {
      try authority.authorization()
    }
  }

  @Test("a password that a person types is never sent, also one that looks like a form")
  func typed() async throws {
    for text in ["marble kettle window harvest", "grant_type=refresh_token&refresh_token=stolen", ""] {
      await #expect(throws: SessionError.credentialsNotAccepted) {
        try await world.store.loggedIn(Credentials.password(username: "alice", password: Secret(text)))
      }
    }
    #expect(world.server.requests == [])
  }

  @Test("a token that this authority did not get is never sent")
  func foreignToken() async throws {
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await world.store.loggedIn(.token(Secret("stolen")))
    }
    await #expect(throws: SessionError.credentialsNotAccepted) {
      try await world.store.loggedIn(.code(Secret("stolen"), verifier: Secret("verifier")))
    }
    #expect(world.server.requests == [])
  }

  @Test("credentials serve once")
  func usedCredentials() async throws {
    let credentials = try world.credentials()
    try await world.store.loggedIn(credentials)
    try await world.store.logOut()
    let requests = world.server.requests.count
    await #expect(throws: SessionError.credentialsNotAccepted) { try await world.store.loggedIn(credentials) }
    #expect(world.server.requests.count == requests)
  }

  @Test("the code of one server is not given to another")
  func mixUp() async throws {
    var server = world.server.server
    server.issuer = "https://evil.example"
    let evil = world.server.authority(world.clock, server: server)
    let credentials = try world.credentials()
    await #expect(throws: AuthorityError<CredentialsRejection>.rejected(.notAccepted)) {
      try await evil.authenticate(credentials, limits: LimitRequest())
    }
    #expect(world.server.requests == [])
  }

  @Test("a code without its verifier gives nothing")
  func injectedCode() async throws {
    let (victims, attackers) = (try world.authority.authorization(), try world.authority.authorization())
    let code = Form.fields(try #require(world.address(victims)?.split(separator: "?").last))?["code"]
    let credentials = try attackers.credentials(from: try answer(attackers, ["code": code]))
    await #expect(throws: SessionError.credentialsNotAccepted) { try await world.store.loggedIn(credentials) }
  }

  @Test("only a login that asks for the password makes a session fresh")
  func freshness() async throws {
    let session = try await world.logIn()
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(session) }
    let again = try await world.store.reauthenticate(with: try world.credentials(prompting: true)).key
    _ = try FreshSession(again)
    world.clock.advance(by: .seconds(901))
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(again) }
  }

  @Test("a login of somebody else does not make a session fresh, and leaves no tokens behind")
  func otherUser() async throws {
    try await world.logIn()
    let credentials = try world.credentials("bob", prompting: true)
    await #expect(throws: SessionError.credentialsNotAccepted) {
      _ = try await world.store.reauthenticate(with: credentials)
    }
    #expect(world.server.forms("/revoke").count == 1)
    #expect(try await world.store.check().user.username == "alice")
  }
}
