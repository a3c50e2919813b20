import AuthCore
import Testing
import TextFormat

@testable import AuthOAuth

/// A resource that means harm, or a server that it names: it gets neither a token nor a request to
/// this machine.
@Suite(.timeLimit(.minutes(10))) struct HostileResourceTests {
  /// One lie in an otherwise honest login.
  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout ResourceDouble.State) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout ResourceDouble.State) -> Void) {
      (testDescription, self.change) = (name, change)
    }

    static func resource(_ name: String, _ value: JSON) -> Lie {
      Lie("resource: \(name) \(value.text.prefix(80))") { $0.resource[name] = value }
    }
    static func server(_ name: String, _ value: JSON) -> Lie {
      Lie("server: \(name) \(value.text.prefix(80))") { $0.server[name] = value }
    }
    static func registration(_ name: String, _ value: JSON) -> Lie {
      Lie("registration: \(name) \(value.text.prefix(80))") { $0.registration[name] = value }
    }
    static func token(_ name: String, _ value: JSON) -> Lie {
      Lie("token: \(name) \(value.text.prefix(80))") { $0.token[name] = value }
    }
    static func metadataAt(_ address: String) -> Lie {
      Lie("metadata at \(address)") { $0.challenge = "Bearer resource_metadata=\"\(address)\"" }
    }
    static func answer(_ address: String, _ status: Int, _ body: String, _ headers: [String: String] = [:]) -> Lie {
      Lie("\(status) at \(address): \(body.prefix(40))\(headers["Location"] ?? "")") {
        $0.answers[address] = (status, headers, Array(body.utf8))
      }
    }
    static func redirect(_ fields: [String: String?]) -> Lie {
      Lie("the browser returns with \(fields)") { $0.redirect = fields }
    }
  }

  /// Addresses that no server elsewhere may name.
  private static let near = [
    "http://127.0.0.1:8080/", "http://localhost/", "https://localhost/", "https://127.0.0.1/", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://2130706433/", "https://0.0.0.0/", "https://169.254.169.254/",
    "https://10.0.0.1/",
    "https://[fe80::1]/", "https://router/",
  ]
  private static let here = "http://127.0.0.1:8080/x"
  private static let description = ResourceDouble.issuer + "/.well-known/oauth-authorization-server"
  private static let nested = String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)

  private static let identities: [String] = [
    "https://other.example.com/mcp", "https://mcp.example.com/mcp2", "https://mcp.example.com/mc",
    "https://mcp.example.com/mcp/admin", "https://mcp.example.com/other", "https://mcp.example.com:8443/mcp",
    "https://mcp.example.com.evil.example/mcp", "https://mcp.example.com@evil.example/mcp",
    "https://evil.example@mcp.example.com/mcp", "https://mcp.example.com/mcp#x", "http://mcp.example.com/mcp",
    "https://mcp.example.com/x/../mcp", "https://mcp.example.com/mcp?tenant=2", "https://mcp.example.com/mcp\u{1B}[2J",
    "", "mcp",
  ]
  private static let issuers: [String] =
    near + [
      "http://id.example.com", "https://alice@id.example.com", "https://id.example.com?x", "https://id.example.com#x",
      "javascript:alert(1)", "file:///etc/passwd", "https://id.example.com\n", "", "https://id.example.com/",
      "https://evil.example",
    ]
  private static let ofResource: [Lie] = {
    var lies: [Lie] = identities.map { .resource("resource", .string($0)) }
    lies += issuers.map { .resource("authorization_servers", [.string($0)]) }
    lies.append(.resource("resource", .null))
    lies.append(.resource("resource", [.string(ResourceDouble.address)]))
    lies.append(.resource("authorization_servers", .null))
    lies.append(.resource("authorization_servers", []))
    lies.append(.resource("authorization_servers", .string(ResourceDouble.issuer)))
    lies.append(.resource("bearer_methods_supported", ["body", "query"]))
    return lies
  }()

  private static let many: [String] = (0..<20_000).map { "scope\($0)" }
  private static let scopes: [[String]] = [
    many, ["read", "a\u{1B}[2Jb"], ["read", "a\r\nX: b"], ["read", #"a"b"#], ["<script>\u{0}"],
  ]
  private static let ofScopes: [Lie] = {
    var lies: [Lie] = scopes.map { scopes in
      Lie("lists the scopes \(scopes.prefix(3))") { state in
        state.challenge = nil
        state.resource["scopes_supported"] = .array(scopes.map(JSON.string))
      }
    }
    lies.append(Lie("demands 20,000 scopes") { $0.challenge = "Bearer scope=\"\(many.joined(separator: " "))\"" })
    lies.append(Lie("demands a scope with a backslash") { $0.challenge = #"Bearer scope="read a\\b""# })
    return lies
  }()

  private static let places: [String] =
    near + [
      "file:///etc/passwd", "http://mcp.example.com/metadata", "http://169.254.169.254/latest/meta-data/",
      "https://alice@mcp.example.com/", "javascript:alert(1)", "",
    ]
  private static let ofMetadata: [Lie] = {
    let (address, metadata) = (ResourceDouble.address, ResourceDouble.metadata)
    var lies: [Lie] = places.map { .metadataAt($0) }
    lies.append(
      Lie("names the metadata of another resource at an address of its own") { state in
        state.challenge = "Bearer resource_metadata=\"https://evil.example/m\""
        let text = #"{"resource": "https://evil.example/", "authorization_servers": ["https://id.example.com"]}"#
        state.answers["https://evil.example/m"] = (200, [:], Array(text.utf8))
      })
    lies.append(.answer(address, 302, "", ["Location": here]))
    lies.append(.answer(address, 307, ""))
    lies.append(.answer(metadata, 307, "", ["Location": here]))
    lies.append(.answer(metadata, 404, ""))
    lies.append(.answer(metadata, 200, nested))
    lies.append(.answer(metadata, 200, #"{"resource": ""# + String(repeating: "a", count: 1 << 20) + #""}"#))
    let twice =
      #"{"resource": "\#(address)", "resource": "https://evil.example/", "authorization_servers": ["\#(ResourceDouble.issuer)"]}"#
    lies.append(.answer(metadata, 200, twice))
    return lies
  }()

  private static let servers: [(String, JSON)] = [
    ("issuer", "https://evil.example"), ("issuer", "https://id.example.com/"), ("issuer", "https://ID.example.com"),
    ("issuer", .null), ("code_challenge_methods_supported", .null), ("code_challenge_methods_supported", ["plain"]),
    ("code_challenge_methods_supported", []), ("code_challenge_methods_supported", "S256"),
    ("authorization_endpoint", "javascript:alert(1)"), ("authorization_endpoint", "https://id.example.com/\u{1B}[2J"),
    ("authorization_endpoint", .null), ("token_endpoint", "http://id.example.com/token"),
    ("token_endpoint", "https://alice@id.example.com/token"), ("token_endpoint", .null),
    ("registration_endpoint", .null), ("registration_endpoint", "file:///etc/passwd"),
    ("registration_endpoint", "http://id.example.com/register"),
  ]
  private static let ofServer: [Lie] = {
    var lies: [Lie] = servers.map { .server($0.0, $0.1) }
    for address in near {
      for endpoint in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
        lies.append(.server(endpoint, .string(address)))
      }
    }
    lies.append(.answer(description, 307, "", ["Location": here]))
    lies.append(.answer(description, 200, nested))
    lies.append(.answer(description, 200, "<html>"))
    return lies
  }()

  private static let ofRegistration: [Lie] = [
    .answer(ResourceDouble.issuer + "/register", 307, "", ["Location": here]),
    .answer(ResourceDouble.issuer + "/register", 201, "<html>"), .answer(ResourceDouble.issuer + "/register", 500, ""),
    .answer(ResourceDouble.issuer + "/register", 400, #"{"error": "invalid_client_metadata"}"#),
    .registration("client_id", "<script>alert(1)</script>"), .registration("client_id", "a\u{1B}[2J"),
    .registration("client_id", "a b"), .registration("client_id", ""), .registration("client_id", .null),
    .registration("client_id", .string(String(repeating: "a", count: 2000))),
    .registration("redirect_uris", ["https://evil.example/"]), .registration("client_name", "Your bank"),
    .registration("grant_types", ["client_credentials"]), .registration("response_types", ["token"]),
    .registration("token_endpoint_auth_method", "private_key_jwt"),
    .registration("token_endpoint_auth_method", "client_secret_post"),
    Lie("a secret that would add a header") {
      $0.registration = ["token_endpoint_auth_method": "client_secret_post", "client_secret": "a\r\nX: b"]
    },
  ]

  private static let ofAnswers: [Lie] = [
    .redirect(["iss": "https://evil.example"]), .redirect(["iss": nil]), .redirect(["iss": "https://id.example.com/"]),
    .redirect(["state": "other"]), .redirect(["state": nil]), .redirect(["code": nil]),
    .redirect(["code": nil, "error": "access_denied"]),
    .answer(ResourceDouble.issuer + "/token", 307, "", ["Location": here]), .token("token_type", "mac"),
    .token("access_token", "a\r\nX: b"), .token("access_token", .null), .token("refresh_token", "a\u{1B}[2J"),
  ]

  private static let all: [Lie] = [ofResource, ofScopes, ofMetadata, ofServer, ofRegistration, ofAnswers].flatMap(
    \.self)

  @Test("an honest resource is logged in at, with its address in each request for tokens")
  func honest() async throws {
    let world = ResourceDouble()
    let (grant, authority) = try await world.logIn()
    #expect(!grant.user.isIdentified)
    _ = try await authority.renew(grant.token)
    #expect(world.forms("/token").count == 2)
    #expect(world.forms("/token").allSatisfy { $0.hasSuffix("resource=https%3A%2F%2Fmcp.example.com%2Fmcp") })
    let page = try #require(world.requests.first { $0.url.hasPrefix(ResourceDouble.issuer + "/authorize?") })
    #expect(page.url.hasSuffix("resource=https%3A%2F%2Fmcp.example.com%2Fmcp") && page.url.contains("scope=read&"))
  }

  @Test(
    "no lie gets a token, or a request to this machine or its network",
    arguments: all)
  func refused(lie: Lie) async throws {
    let world = ResourceDouble(lie.change)
    await #expect(throws: (any Error).self) { try await world.logIn() }
    for request in world.requests {
      #expect(request.url.isSafeURL && Reach(of: request.url) == .elsewhere, "\(request)")
      #expect(request.headers["Authorization"] == nil)
    }
  }

  @Test("a challenge that cannot be read, or is 60 KB long, changes nothing: the metadata is at a known address")
  func challenges() async throws {
    let long = String(repeating: #"a="\""#, count: 10_000)
    for challenge in ["Bearer scope=\"a\u{1B}[2J\"", "Bearer \(long)", "Bearer realm=\"" + long, "Basic realm=\"x\""] {
      let world = ResourceDouble { $0.challenge = challenge }
      #expect(try await world.discover().scopes == ["read", "write"])
    }
  }
}
