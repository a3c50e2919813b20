import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// A server, or somebody in its place, that means harm.
@Suite(.timeLimit(.minutes(10))) struct HostileServerTests {
  private let world = OAuthWorld()

  private static let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

  private static let tooLong = String(repeating: "t", count: 12_289)

  @Test(
    "tokens that cannot be used are refused, and nothing is kept of them",
    arguments: [
      #"{"access_token": "a\r\nX-Evil: 1", "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": "a", "refresh_token": "r\u0000", "token_type": "Bearer"}"#,
      #"{"access_token": "a b", "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": "", "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "mac"}"#,
      #"{"access_token": "a", "refresh_token": "r"}"#,
      #"{"access_token": ["a"], "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": 12, "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": "a", "refresh_token": 12, "token_type": "Bearer"}"#,
      #"{"access_token": "a", "refresh_token": ["r"], "token_type": "Bearer"}"#,
      #"{"access_token": "a", "access_token": "b", "refresh_token": "r", "token_type": "Bearer"}"#,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "x": \#(nested)}"#,
      #"{"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "x": "\#(String(repeating: "x", count: 300_000))"}"#,
      #"{"access_token": "a", "refresh_token": "\#(tooLong)", "token_type": "Bearer"}"#,
      #"{"access_token": "\#(tooLong)", "refresh_token": "r", "token_type": "Bearer"}"#,
      "\u{FEFF}{}", "null", "",
    ])
  func tokens(body: String) async throws {
    world.server.script("/token", 200, body)
    let failure = await #expect(throws: SessionError.self) { try await world.logIn() }
    guard case .unavailable = failure else { throw try #require(failure) }
    #expect(world.server.forms("/userinfo").isEmpty)
    #expect(await world.vault.load() == .absent)
  }

  @Test(
    "secrets go to secure addresses only, and http is for this machine",
    arguments: [
      ("http://server.example/token", false), ("http://127.0.0.1.evil.example/token", false),
      ("http://localhost@evil.example/token", false), ("https://server.example@evil.example/token", false),
      ("https:///token", false), ("ftp://server.example/token", false), ("https://server.example/token#a", false),
      ("https://server.example/\r\nX: 1", false), ("https://[::1/token", false), ("//server.example/token", false),
      ("https://ser\u{0432}er.example/token", false), ("http://[::1].evil.example/", false), ("", false),
      ("http://127.0.0.1:8000/token", true), ("http://[::1]:8000/token", true), ("HTTP://localhost/", true),
    ])
  func addresses(address: String, isSecure: Bool) async throws {
    for endpoint in [OAuthServer.Endpoint.token, .userInfo] {
      let world = OAuthWorld()
      let authority = world.authority { $0.endpoints[endpoint] = address }
      let grant = try? await world.grant(at: authority)
      // Nothing is at the secure addresses, and a userinfo that is not there refuses no login.
      #expect((grant != nil) == (isSecure && endpoint == .userInfo))
      #expect(world.server.requests.map(\.url).contains(address) == isSecure)
      #expect(world.server.requests.allSatisfy { $0.url == address || $0.url.hasPrefix(ServerDouble.place) })
    }
  }

  @Test("no value adds a parameter or a header to a request")
  func injection() async throws {
    let authority = world.authority(
      clientID: "app&grant_type=x\r\nX-Evil: 1", clientSecret: Secret("s&client_id=other")
    ) { $0.clientAuthentication = [.token: .post] }
    let url = try authority.authorizationURL(redirectURI: "com.example.app:/login&a=b")
    #expect(url.split(separator: "?").count == 2)
    #expect(!url.contains("\r") && !url.contains("grant_type=x"))
    _ = try? await authority.deviceAuthorization()
    let sent = try #require(world.server.forms("/device").first)
    #expect(Set(sent.keys) == ["client_id", "client_secret", "code_challenge", "code_challenge_method"])
    #expect(sent["client_id"] == "app&grant_type=x\r\nX-Evil: 1" && sent["client_secret"] == "s&client_id=other")
    let header = try #require(world.server.requests.first).headers
    #expect(header == ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"])
  }

  @Test(
    "a saved session of another form is refused, and asks nobody",
    arguments: ["", "refresh-1", "version=1&id=a&refresh_token=b", "version=2", "%", "version=1&version=1"])
  func forgedToken(text: String) async throws {
    let token = SessionToken(bytes: Array(text.utf8))
    await #expect(throws: AuthorityError<SessionRejection>.rejected(.ended(.revoked))) {
      try await world.authority.renew(token)
    }
    try await world.authority.revoke(token, reason: .userAsked)
    #expect(world.server.requests == [])
  }
}
