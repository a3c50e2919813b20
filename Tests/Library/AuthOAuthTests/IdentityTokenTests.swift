import AuthCore
import AuthOAuth
import Testing
import TextFormat

/// Which claims of an ID token are accepted, and who names the user without one.
@Suite(.timeLimit(.minutes(10))) struct IdentityTokenTests {
  private let world = OAuthWorld()

  @Test(
    "an ID token whose claims are wrong or missing is refused, also where userinfo names the user",
    arguments: [
      ("iss", "https://evil.example", false), ("iss", nil, false), ("iss", ["https://server.example"], false),
      ("sub", nil, false), ("sub", "", false), ("sub", .string(String(repeating: "x", count: 2049)), false),
      ("aud", "other", false), ("aud", nil, false), ("aud", [], false), ("aud", ["app"], true),
      ("aud", ["x", "app"], false), ("azp", "app", true), ("azp", "x", false), ("exp", nil, false),
      ("exp", "soon", false), ("exp", .integer(ServerDouble.wallClock - 299), true),
      ("exp", .integer(ServerDouble.wallClock - 300), false), ("exp", .integer(-1), false),
      ("exp", .number(1e300), false),
      ("nonce", nil, false), ("nonce", "other", false), ("name", "Alice", true),
    ] as [(String, JSON?, Bool)])
  func claim(name: String, value: JSON?, isAccepted: Bool) async throws {
    func changed(_ nonce: String) throws -> String {
      guard case .object(let members) = world.claims("id-alice", nonce: nonce) else { return "" }
      let others = JSON.object(members.filter { $0.name != name })
      return world.answer(others + JSON(value.map { [(name, $0)] } ?? []))
    }
    world.server.script("/userinfo", 200, #"{"sub": "id-alice", "name": "Al"}"#)
    if isAccepted {
      let user = try await world.logIn(answering: changed).user
      #expect(user.id.rawValue == "https://server.example id-alice" && user.isIdentified)
      // The names come from userinfo where the ID token has none.
      #expect(user.displayName == (name == "name" ? "Alice" : "Al"))
    } else {
      let failure = await #expect(throws: AuthorityError<CredentialsRejection>.self) {
        try await world.logIn(answering: changed)
      }
      guard case .unavailable(let cause)? = failure else { return #expect(Bool(false), "\(name)") }
      #expect(
        cause.code == "oauth_invalid_id_token"
          && cause.description.contains(value == ["x", "app"] ? "(azp)" : "(\(name))"))
      // Some servers would end all sessions of the user.
      #expect(world.server.forms("/revoke").isEmpty)
    }
  }

  @Test("an ID token for a client and others names this client as the one that requested it")
  func otherAudiences() async throws {
    let user = try await world.logIn { nonce in
      guard case .object(let members) = world.claims("id-alice", nonce: nonce) else { return "" }
      return world.answer(
        JSON.object(members.filter { $0.name != "aud" }) + ["aud": ["x", "app"], "azp": "app"])
    }.user
    #expect(user.isIdentified)
  }

  @Test(
    "an ID token that cannot be read, or says that it has no signature, is refused; an encrypted one is ignored",
    arguments: [
      ("none", false), ("None", false), (nil, false), ("ES256", true),
    ] as [(String?, Bool)])
  func algorithm(name: String?, isAccepted: Bool) async throws {
    let header: JSON = ["alg": .string(orNull: name)]
    let grant = try? await world.logIn { world.answer(world.claims("id-alice", nonce: $0), header: header) }
    #expect((grant != nil) == isAccepted)
    for text in ["a", "a.b", "a.b.c", "....", "e30.e30.", ServerDouble.identity(["sub": "x"]) + "=", "a.b.c.d.e.f"] {
      let isIgnored = text == "...."
      world.server.script("/userinfo", 200, #"{"sub": "id-alice"}"#)
      let grant = try? await world.logIn { _ in world.answer(identity: .string(text)) }
      #expect((grant != nil) == isIgnored, "\(text)")
      world.server.set { $0.unscript("/userinfo") }
    }
  }

  /// How a server refuses a token at userinfo: Entra ID one for another API, Keycloak one without
  /// the scope `openid`; some sign the answer.
  private static let refusals = [
    (401, #"{"error": {"code": "InvalidAuthenticationToken"}}"#), (401, #"{"error": "invalid_token"}"#),
    (403, #"{"error": "insufficient_scope"}"#), (404, "no"), (200, "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"),
  ]

  @Test("an ID token names the user where userinfo refuses the token", arguments: refusals)
  func withoutUserinfo(status: Int, body: String) async throws {
    world.server.script("/userinfo", status, body)
    let user = try await world.logIn { world.answer(world.claims("id-alice", nonce: $0)) }.user
    #expect(user.id.rawValue == "https://server.example id-alice" && user.isIdentified)
  }

  @Test("without an ID token introspection names the user, and without that, this login alone", arguments: refusals)
  func withoutBoth(status: Int, body: String) async throws {
    world.server.script("/userinfo", status, body)
    world.server.script("/introspect", 200, #"{"active": true, "sub": "7", "username": "al"}"#)
    let named = try await world.logIn { _ in world.answer() }.user
    #expect(named.id.rawValue == "https://server.example 7" && named.username == "al")
    let authority = world.authority { $0.endpoints[.introspection] = nil }
    func unnamed() async throws -> User {
      world.server.script("/userinfo", status, body)
      return try await world.logIn(at: authority) { _ in world.answer() }.user
    }
    let (first, second) = (try await unnamed(), try await unnamed())
    #expect(!first.isIdentified && first.username == "unnamed" && first.id != second.id)
    #expect(world.server.forms("/revoke").isEmpty)
  }
}

/// The ID token that is saved for a program that hands it to other servers.
@Suite(.timeLimit(.minutes(10))) struct KeptIdentityTests {
  private let world = OAuthWorld()

  private var authority: OAuthAuthority {
    OAuthAuthority(
      server: world.server.description, clientID: "app", clientSecret: nil, scopes: [], resources: [],
      clock: world.clock, wallClock: { ServerDouble.wallClock }, keepsIdentity: true, user: { $0.user })
  }

  private func logIn(refresh: String = "r", _ more: JSON = [:]) async throws -> Grant {
    try await world.logIn(at: authority) { nonce in
      world.answer(refresh: refresh, world.claims("id-alice", nonce: nonce) + more)
    }
  }

  @Test("the newest ID token of this user and client is kept, and one that is not stays out")
  func newest() async throws {
    var token = try await logIn().token
    let first = try #require(IdentityToken(of: token))
    #expect(first.audience == ["app"] && first.end.seconds == ServerDouble.wallClock + 300)
    #expect(first.isRenewed == nil)
    world.server.script("/token", 200, world.answer(refresh: "r2", world.claims("id-alice") + ["n": 2]))
    token = try await authority.renew(token).token
    let second = try #require(IdentityToken(of: token))
    #expect(second.value != first.value && second.isRenewed == true)
    for other in [["aud": "other"], ["iss": "https://evil.example"], ["exp": 1]] as [JSON] {
      guard case .object(let changed) = other, case .object(let members) = world.claims("id-alice") else { return }
      let claims = JSON.object(members.filter { $0.name != changed[0].name } + changed)
      world.server.script("/token", 200, world.answer(refresh: "r3", claims))
      token = try await authority.renew(token).token
      #expect(IdentityToken(of: token)?.value == second.value)
      #expect(IdentityToken(of: token)?.isRenewed == false)
    }
  }

  @Test("an app's authority keeps none, and one that does not fit is left out before the session is")
  func room() async throws {
    let plain = try await world.logIn { nonce in world.answer(world.claims("id-alice", nonce: nonce)) }
    #expect(IdentityToken(of: plain.token) == nil)
    let long = JSON.string(String(repeating: "x", count: 60_000))
    let token = try await logIn(refresh: String(repeating: "r", count: 12_000), ["groups": long]).token
    #expect(IdentityToken(of: token) == nil && token.bytes.count < 48_000)
    world.server.script("/token", 200, world.answer(refresh: "r2", world.claims("id-alice")))
    #expect(IdentityToken(of: try await authority.renew(token).token) != nil)
  }

  @Test("the end of an ID token is the wall clock's")
  func end() async throws {
    let token = try #require(IdentityToken(of: try await logIn().token))
    let end = ServerDouble.wallClock + 300
    #expect(token.isValid(for: .seconds(10), at: UTCTime(seconds: end - 10)))
    #expect(!token.isValid(for: .seconds(10), at: UTCTime(seconds: end - 9)))
    #expect(!token.isValid(for: .zero, at: UTCTime(seconds: end)))
  }
}
