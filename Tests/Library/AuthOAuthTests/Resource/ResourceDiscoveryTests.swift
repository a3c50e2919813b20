import AuthCore
import AuthCoreTesting
import Testing
import TextFormat

@testable import AuthOAuth

/// What a login for a resource would request.
@Suite(.timeLimit(.minutes(10))) struct ResourceDiscoveryTests {
  private let world = ResourceDouble()

  @Test("the result shows what is requested, of whom and for what")
  func shown() async throws {
    let found = try await world.discover()
    #expect(found.address == ResourceDouble.address && found.identifier == ResourceDouble.address)
    #expect(found.server.issuer == ResourceDouble.issuer)
    #expect(found.hasOtherHost && !found.coversMore && found.announcesPKCE)
    #expect(found.registersClients && !found.readsClientDocuments)
    #expect(world.requests.allSatisfy { $0.headers["Authorization"] == nil })
  }

  @Test("the scopes are those of the challenge, otherwise those that are listed, otherwise none; or those given")
  func scopes() async throws {
    #expect(try await world.discover().scopes == ["read"])
    #expect(try await world.discover(scopes: ["write"]).scopes == ["write"])
    world.set { $0.challenge = nil }
    #expect(try await world.discover().scopes == ["read", "write"])
    world.set { $0.server["scopes_supported"] = ["openid", "offline_access"] }
    #expect(try await world.discover().scopes == ["read", "write", "offline_access"])
    world.set { $0.resource["scopes_supported"] = .null }
    #expect(try await world.discover().scopes == ["offline_access"])
    // What the resource lists does not matter to somebody who chooses.
    world.set { $0.resource["scopes_supported"] = .array((0..<20_000).map { .string("scope\($0)") }) }
    #expect(try await world.discover(scopes: ["read"]).scopes == ["read"])
  }

  @Test("the metadata is at the address of the challenge, then with the path inserted, then at the root")
  func places() async throws {
    let root = "https://mcp.example.com/.well-known/oauth-protected-resource"
    func urls() -> [String] { world.requests.filter { $0.url.contains("protected-resource") }.map(\.url) }
    let text = #"{"resource": "https://mcp.example.com", "authorization_servers": ["https://id.example.com"]}"#
    world.set { state in
      state.challenge = "Basic realm=\"x\", Bearer resource_metadata=\"\(root)/elsewhere\""
      state.answers[ResourceDouble.metadata] = (500, [:], [])
      state.answers[root] = (200, [:], Array(text.utf8))
    }
    let found = try await world.discover()
    #expect(urls() == [root + "/elsewhere", root + "/mcp", root])
    // The address above the resource is that of others too; it is sent as it is written.
    #expect(found.coversMore && found.identifier == "https://mcp.example.com")
    world.set { $0.answers[root] = nil }
    await #expect(throws: OAuthError.self) { try await world.discover() }
  }

  @Test("a server that does not announce PKCE is refused, unless the caller accepts that")
  func pkce() async throws {
    world.set { $0.server["code_challenge_methods_supported"] = .null }
    let failure = await #expect(throws: OAuthError.self) { try await world.discover() }
    #expect(failure?.isRefused("pkce_not_announced") == true)
    #expect(try await world.discover(requiresPKCE: false).announcesPKCE == false)
    world.set { $0.server["code_challenge_methods_supported"] = ["plain"] }
    await #expect(throws: OAuthError.self) { try await world.discover(requiresPKCE: false) }
  }

  @Test("an issuer with a path has its metadata in one of three places")
  func issuerWithPath() async throws {
    let (issuer, place) = ("https://id.example.com/tenant", "https://id.example.com/.well-known/")
    let text =
      #"{"issuer": "\#(issuer)", "token_endpoint": "\#(issuer)/token", "code_challenge_methods_supported": ["S256"]}"#
    let places = [
      place + "oauth-authorization-server/tenant", issuer + "/.well-known/openid-configuration",
      place + "openid-configuration/tenant",
    ]
    for known in places {
      let world = ResourceDouble { state in
        state.resource["authorization_servers"] = [.string(issuer)]
        state.answers[known] = (200, [:], Array(text.utf8))
      }
      #expect(try await world.discover().server.issuer == issuer)
    }
  }

  @Test("a resource at this machine may name a server at this machine")
  func local() async throws {
    let place = "http://127.0.0.1:8931"
    let found = try await OAuthServer.discover(resource: place + "/mcp") { request in
      let answers = [
        place + "/.well-known/oauth-protected-resource/mcp":
          #"{"resource": "\#(place)/mcp", "authorization_servers": ["http://localhost:8931/"]}"#,
        "http://localhost:8931/.well-known/oauth-authorization-server":
          #"{"issuer": "http://localhost:8931/", "token_endpoint": "http://localhost:8931/token", "code_challenge_methods_supported": ["S256"]}"#,
      ]
      return (answers[request.url] == nil ? 404 : 200, [:], Array((answers[request.url] ?? "").utf8))
    }
    #expect(found.server.issuer == "http://localhost:8931/" && found.hasOtherHost && !found.registersClients)
  }
}

/// The registration of a client for a resource.
@Suite(.timeLimit(.minutes(10))) struct RegistrationTests {
  private let world = ResourceDouble()

  private func register(forDevices: Bool = false) async throws -> OAuthClient {
    try await world.discover().register(name: "app", redirectURI: ResourceDouble.redirectURI, forDevices: forDevices)
  }

  @Test("a client is registered as a program that users install, for what it requests")
  func request() async throws {
    let client = try await register()
    #expect(client.id == "client-1" && client.secret == nil && client.expires == nil)
    let sent = try #require(OAuthClaims(world.requests.last?.body ?? []))
    #expect(sent["application_type"] == "native" && sent["client_name"] == "app" && sent["scope"] == "read")
    #expect(sent["token_endpoint_auth_method"] == "none")
    #expect(sent.list("redirect_uris") == [ResourceDouble.redirectURI])
    #expect(
      sent.list("grant_types") == ["authorization_code", "refresh_token"] && sent.list("response_types") == ["code"])
  }

  @Test("the grant for devices is requested by two names, and then left out")
  func devices() async throws {
    let kinds = ["urn:ietf:params:oauth:grant-type:device_code", "device_authorization"]
    func grants() -> [[String]] {
      world.requests.filter { $0.url.hasSuffix("/register") }.map { OAuthClaims($0.body)?.list("grant_types") ?? [] }
    }
    _ = try await register(forDevices: true)
    #expect(grants().map { $0.dropFirst(2) } == [kinds[...0]])
    world.set { $0.refusesGrants = Set(kinds) }
    _ = try await register(forDevices: true)
    #expect(grants().dropFirst().map { Array($0.dropFirst(2)) } == [[kinds[0]], [kinds[1]], []])
    // Another refusal is none of the grant.
    world.set { $0.answers[ResourceDouble.issuer + "/register"] = (429, ["Retry-After": "7"], []) }
    await #expect(throws: OAuthError.throttled(.wait(.seconds(7)))) { try await register(forDevices: true) }
    #expect(grants().count == 5)
  }

  @Test(
    "it authenticates in a way that the server lists, and with a secret if that lists none",
    arguments: [
      (["client_secret_basic", "none"], "none"), (["client_secret_basic", "client_secret_post"], "client_secret_post"),
      (["client_secret_basic"], "client_secret_basic"), ([], "client_secret_post"),
      (["private_key_jwt"], "client_secret_post"),
    ] as [([String], String)])
  func methods(listed: [String], method: String) async throws {
    world.set { state in
      state.server["token_endpoint_auth_methods_supported"] = .array(listed.map(JSON.string))
      if method != "none" { state.registration["client_secret"] = "copper-lantern" }
    }
    let client = try await register()
    #expect(OAuthClaims(world.requests.last?.body ?? [])?["token_endpoint_auth_method"] == method)
    #expect(client.authentication?.rawValue ?? "none" == method)
    #expect(client.secret == (method == "none" ? nil : Secret("copper-lantern")))
    #expect(!"\(client)".contains("copper"))
    let (_, authority) = try await world.logIn()
    #expect(authority.clientAuthentication[.token]?.rawValue ?? "none" == method || method == "none")
  }

  @Test("it is used at its server, for its resource and its scopes alone, and until it expires")
  func usable() async throws {
    world.set { $0.registration["client_secret_expires_at"] = 2_000 }
    let client = try await register()
    let resource = try await world.discover()
    #expect(client.isUsable(for: resource, at: 1_999) && !client.isUsable(for: resource, at: 2_000))
    #expect(!client.isUsable(for: try await world.discover(scopes: ["read", "write"]), at: 0))
    #expect(client.isUsable(for: try await world.discover(scopes: []), at: 0))
    world.set { $0.resource["resource"] = "https://mcp.example.com" }
    #expect(!client.isUsable(for: try await world.discover(), at: 0))
    world.set { state in
      state.resource["resource"] = nil
      state.resource["authorization_servers"] = ["https://other.example.com"]
      let text =
        #"{"issuer": "https://other.example.com", "token_endpoint": "https://other.example.com/token", "code_challenge_methods_supported": ["S256"]}"#
      state.answers["https://other.example.com/.well-known/oauth-authorization-server"] = (200, [:], Array(text.utf8))
    }
    #expect(!client.isUsable(for: try await world.discover(), at: 0))
  }

  @Test("a server that has forgotten the client is noticed before the browser opens; one that does not say is not")
  func forgotten() async throws {
    let resource = try await world.discover()
    let client = try await register()
    let authority = OAuthAuthority(resource: resource, client: client, clock: ManualClock())
    func isKnown(_ status: Int) async throws -> Bool {
      let answering = OAuthServer(issuer: resource.server.issuer, endpoints: resource.server.endpoints) { _ in
        (status, [:], [])
      }
      let authority = OAuthAuthority(server: answering, clientID: "client-1", clock: ManualClock())
      return try await authority.isKnown(redirectURI: ResourceDouble.redirectURI, parameters: [:])
    }
    #expect(try await authority.isKnown(redirectURI: ResourceDouble.redirectURI, parameters: [:]) == false)
    for (status, known) in [
      (200, true), (302, true), (400, false), (401, false), (403, true), (429, true), (500, true),
    ] {
      #expect(try await isKnown(status) == known, "\(status)")
    }
  }
}
