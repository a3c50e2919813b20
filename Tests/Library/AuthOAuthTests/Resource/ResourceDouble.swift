import AuthCore
import AuthCoreTesting
import ConcurrencyKit
import Testing
import TextFormat

@testable import AuthOAuth

/// A resource and the server of its tokens in memory, which are honest except where a test changes
/// what they say; and the user's browser.
final class ResourceDouble: Sendable {
  typealias Answer = (status: Int, headers: [String: String], body: [UInt8])

  struct State {
    /// The header WWW-Authenticate; nil means an answer with status 200.
    var challenge: String? = "Bearer resource_metadata=\"\(ResourceDouble.metadata)\", scope=\"read\""
    /// Members in place of the honest ones, of the metadata of the resource and of the server, and
    /// of the answers to a registration and at the token endpoint; null removes one.
    var resource: [String: JSON] = [:]
    var server: [String: JSON] = [:]
    var registration: [String: JSON] = [:]
    var token: [String: JSON] = [:]
    /// The fields with which the browser returns, in place of the honest ones.
    var redirect: [String: String?] = [:]
    /// The grants that a client cannot register for.
    var refusesGrants: Set<String> = []
    /// Whole answers, by address.
    var answers: [String: Answer] = [:]
    fileprivate var log: [OAuthRequest] = []
    fileprivate var issued = 0
  }

  static let address = "https://mcp.example.com/mcp"
  static let metadata = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
  static let issuer = "https://id.example.com"
  static let redirectURI = "http://127.0.0.1:4000/"

  private let state = Locked(State())

  init(_ change: @Sendable (inout State) -> Void = { _ in }) { state.withLock { change(&$0) } }

  func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

  var requests: [OAuthRequest] { state.withLock(\.log) }
  /// How often the token endpoint gave a token.
  var issued: Int { state.withLock(\.issued) }

  func forms(_ path: String) -> [String] {
    requests.filter { $0.url == Self.issuer + path }.map { String(decoding: $0.body, as: UTF8.self) }
  }

  func discover(scopes: [String]? = nil, requiresPKCE: Bool = true) async throws(OAuthError) -> ProtectedResource {
    try await OAuthServer.discover(
      resource: Self.address, scopes: scopes, requiresPKCE: requiresPKCE, send: { try await self.send($0) })
  }

  /// A login from the address alone, and the authority that it used.
  func logIn() async throws -> (grant: Grant, authority: OAuthAuthority) {
    let resource = try await discover()
    let client = try await resource.register(name: "app", redirectURI: Self.redirectURI)
    let authority = OAuthAuthority(resource: resource, client: client, clock: ManualClock())
    let url = try authority.authorizationURL(redirectURI: client.redirectURI)
    let credentials = try authority.credentials(from: try browse(url))
    return (try #require(try await authority.authenticate(credentials, limits: LimitRequest()).grant), authority)
  }

  /// Where the browser returns to from the login page.
  private func browse(_ url: String) throws -> String {
    let fields = try #require(url.split(separator: "?").last.flatMap { Form.fields($0) })
    state.withLock { $0.log.append(OAuthRequest(method: "GET", url: url, headers: [:], body: [])) }
    let honest: [String: String?] = ["code": "code", "state": fields["state"], "iss": Self.issuer]
    return Self.redirectURI + "?" + Form.text(honest.merging(state.withLock(\.redirect)) { $1 })
  }

  private func send(_ request: OAuthRequest) async throws -> Answer {
    state.withLock { state in
      state.log.append(request)
      if let answer = state.answers[request.url] { return answer }
      switch request.url {
      case Self.address: return (state.challenge == nil ? 200 : 401, ["WWW-Authenticate": state.challenge ?? ""], [])
      case Self.metadata: return Self.json(Self.honestResource, state.resource)
      case Self.issuer + "/.well-known/oauth-authorization-server": return Self.json(Self.honestServer, state.server)
      case Self.issuer + "/register":
        let wish = OAuthClaims(request.body)?.members ?? [:]
        if case .array(let grants)? = wish["grant_types"],
          grants.contains(where: { grant in
            if case .string(let name) = grant { state.refusesGrants.contains(name) } else { false }
          })
        {
          return (400, [:], Array(#"{"error": "invalid_client_metadata"}"#.utf8))
        }
        return Self.json(wish.merging(["client_id": "client-1"]) { $1 }, state.registration, status: 201)
      case Self.issuer + "/token":
        state.issued += 1
        return Self.json(Self.honestToken, state.token)
      case _: return (404, [:], [])
      }
    }
  }

  private static func json(_ honest: [String: JSON], _ lies: [String: JSON], status: Int = 200) -> Answer {
    let members = honest.merging(lies) { $1 }.filter { $0.value != .null }
    return (status, [:], Array(JSON(members.map { ($0.key, $0.value) }).text.utf8))
  }

  private static let honestResource: [String: JSON] = [
    "resource": .string(address), "authorization_servers": [.string(issuer)], "scopes_supported": ["read", "write"],
    "bearer_methods_supported": ["header"],
  ]
  private static let honestServer: [String: JSON] = [
    "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
    "token_endpoint": .string(issuer + "/token"), "registration_endpoint": .string(issuer + "/register"),
    "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
    "authorization_response_iss_parameter_supported": true,
  ]
  private static let honestToken: [String: JSON] = [
    "access_token": "access", "refresh_token": "refresh", "token_type": "Bearer", "expires_in": 300,
  ]
}
