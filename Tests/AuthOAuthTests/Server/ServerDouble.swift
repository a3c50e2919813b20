import AuthCore
import AuthDevice
import AuthOAuth
import Guards
import TextFormat

/// A server that speaks OAuth 2.0, in memory, with the browser that logs in at it.
///
/// The old token of an exchange works until the new one is used.
final class ServerDouble: Sendable {
  struct Settings {
    var rotates = true
    /// Whether the use of a spent token ends the session (RFC 9700, section 4.14.2).
    var detectsReuse = true
    /// Whether introspection knows refresh tokens.
    var introspects = true
    var lifetime: Int? = 300
    var device = DeviceState.pending
    /// Whom a refresh answers for, in place of the user who logged in.
    var impostor: String?
    var isOffline = false
    /// Stops the next request to the token endpoint: tells that it came, and waits.
    var hold: (came: Promise<Void>, release: Promise<Void>)?
    /// Answers in place of the server's own, each for one request to the path.
    var scripted: [String: [OAuthResponse]] = [:]
  }

  enum DeviceState { case pending, approved, denied }

  private struct Code {
    let user: String
    let challenge: String
    let redirectURI: String
  }

  private struct Refresh {
    let family: Int
    let user: String
    var replaces: String?
    var isDead = false
  }

  private struct State {
    var settings = Settings()
    var codes: [String: Code] = [:]
    var refresh: [String: Refresh] = [:]
    var access: [String: String] = [:]
    var issued = 0
    var log: [OAuthRequest] = []

    mutating func next(_ prefix: String) -> String {
      issued += 1
      return "\(prefix)-\(issued)"
    }

    mutating func kill(family: Int) {
      for (token, entry) in refresh where entry.family == family { refresh[token]?.isDead = true }
    }
  }

  static let place = "https://server.example"
  static let passwords = ["alice": "marble kettle window harvest", "bob": "paper lantern river orchard"]
  private let state = Locked(State())

  var server: OAuthServer {
    let place = Self.place
    return OAuthServer(
      issuer: place,
      endpoints: [
        .authorization: "\(place)/authorize", .token: "\(place)/token", .deviceAuthorization: "\(place)/device",
        .revocation: "\(place)/revoke", .introspection: "\(place)/introspect", .userInfo: "\(place)/userinfo",
      ], namesIssuer: true)
  }

  static let client = OAuthClient(id: "app", redirectURI: "com.example.app:/login", scopes: ["openid"])

  func authority(_ clock: any SessionClock, server: OAuthServer? = nil, client: OAuthClient = client) -> OAuthAuthority
  {
    OAuthAuthority(server: server ?? self.server, client: client, clock: clock) { try await self.send($0) }
  }

  func set(_ change: @Sendable (inout Settings) -> Void) { state.withLock { change(&$0.settings) } }

  /// Answers the next request to a path with this.
  func script(_ path: String, _ status: Int, _ body: String, _ headers: [String: String] = [:]) {
    state.withLock {
      $0.settings.scripted[path, default: []].append(
        OAuthResponse(status: status, headers: headers, body: Array(body.utf8)))
    }
  }

  /// The forms that a path got, in order.
  func forms(_ path: String) -> [[String: String]] {
    state.withLock { $0.log }.filter { $0.url == Self.place + path }.map {
      Form.fields(String(decoding: $0.body, as: UTF8.self)) ?? [:]
    }
  }

  var requests: [OAuthRequest] { state.withLock { $0.log } }
  var accessTokens: Set<String> { state.withLock { Set($0.access.keys) } }

  /// Makes the access tokens of everybody worthless, as a restart of the server does.
  func forgetAccessTokens() { state.withLock { $0.access = [:] } }

  /// What the browser returns to after the user entered a password; nil for a wrong one.
  func browse(_ url: String, username: String, password: String) -> String? {
    guard Self.passwords[username] == password, let query = url.split(separator: "?").last,
      let fields = Form.fields(query), fields["client_id"] == "app", fields["response_type"] == "code",
      fields["code_challenge_method"] == "S256", let challenge = fields["code_challenge"],
      let redirectURI = fields["redirect_uri"], let given = fields["state"]
    else { return nil }
    let code = state.withLock { state in
      let code = state.next("code")
      state.codes[code] = Code(user: username, challenge: challenge, redirectURI: redirectURI)
      return code
    }
    return redirectURI + "?" + Form.text(["code": code, "state": given, "iss": Self.place])
  }

  // MARK: The server

  func send(_ request: OAuthRequest) async throws -> OAuthResponse {
    struct Offline: Error {}
    if request.url == Self.place + "/token", let hold = state.withLock({ $0.settings.hold.take() }) {
      hold.came.fulfil(())
      await hold.release.valueUncancelled()
    }
    let answer = try state.withLock { state -> OAuthResponse in
      if state.settings.isOffline { throw Offline() }
      state.log.append(request)
      let path = String(request.url.dropFirst(Self.place.count))
      if state.settings.scripted[path]?.isEmpty == false, let answer = state.settings.scripted[path]?.removeFirst() {
        return answer
      }
      let form = Form.fields(String(decoding: request.body, as: UTF8.self)) ?? [:]
      switch path {
      case "/token": return Self.token(form, &state)
      case "/introspect": return Self.introspect(form["token"] ?? "", &state)
      case "/revoke":
        if let entry = state.refresh[form["token"] ?? ""] { state.kill(family: entry.family) }
        return OAuthResponse(status: 200, body: [])
      case "/userinfo":
        let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? ""
        guard let user = state.access[String(token)] else { return Self.error(401, "invalid_token") }
        return Self.json(["sub": .string("id-\(user)"), "preferred_username": .string(user), "name": .string(user)])
      case "/device":
        return Self.json([
          "device_code": "device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://server.example/enter",
          "expires_in": 600, "interval": 5,
        ])
      case _: return OAuthResponse(status: 404, body: [])
      }
    }
    return answer
  }

  private static func token(_ form: [String: String], _ state: inout State) -> OAuthResponse {
    guard form["client_id"] == "app" else { return error(401, "invalid_client") }
    switch form["grant_type"] {
    case "authorization_code":
      guard let code = state.codes.removeValue(forKey: form["code"] ?? ""),
        code.redirectURI == form["redirect_uri"],
        code.challenge == Base64URL.text(SHA256.hash(Array((form["code_verifier"] ?? "").utf8)))
      else { return error(400, "invalid_grant") }
      return issue(code.user, family: state.issued, replacing: nil, &state)
    case "refresh_token":
      let old = form["refresh_token"] ?? ""
      guard let entry = use(old, &state) else {
        if state.settings.detectsReuse, let entry = state.refresh[old] { state.kill(family: entry.family) }
        return error(400, "invalid_grant")
      }
      return issue(state.settings.impostor ?? entry.user, family: entry.family, replacing: old, &state)
    case "urn:ietf:params:oauth:grant-type:device_code":
      switch state.settings.device {
      case .pending: return error(400, "authorization_pending")
      case .denied: return error(400, "access_denied")
      case .approved: return issue("alice", family: state.issued, replacing: nil, &state)
      }
    case _: return error(400, "unsupported_grant_type")
    }
  }

  /// A live token; its use ends the one that it replaces.
  private static func use(_ token: String, _ state: inout State) -> Refresh? {
    guard let entry = state.refresh[token], !entry.isDead else { return nil }
    if let replaced = entry.replaces { state.refresh[replaced]?.isDead = true }
    return entry
  }

  private static func issue(
    _ user: String, family: Int, replacing old: String?, _ state: inout State
  ) -> OAuthResponse {
    let access = state.next("access")
    state.access[access] = user
    var answer: [JSON.Member] = [
      .init(name: "access_token", value: .string(access)), .init(name: "token_type", value: "Bearer"),
    ]
    if let lifetime = state.settings.lifetime {
      answer.append(.init(name: "expires_in", value: .integer(Int64(lifetime))))
    }
    if old == nil || state.settings.rotates {
      let refresh = state.next("refresh")
      state.refresh[refresh] = Refresh(family: family, user: user, replaces: old)
      answer.append(.init(name: "refresh_token", value: .string(refresh)))
    }
    return OAuthResponse(status: 200, body: Array(JSON.object(answer).text.utf8))
  }

  private static func introspect(_ token: String, _ state: inout State) -> OAuthResponse {
    if let user = state.access[token] { return json(["active": .bool(true), "username": .string(user)]) }
    guard state.settings.introspects, let entry = use(token, &state) else { return json(["active": .bool(false)]) }
    return json(["active": .bool(true), "sub": .string("id-\(entry.user)")])
  }

  private static func json(_ members: KeyValuePairs<String, JSON>) -> OAuthResponse {
    OAuthResponse(status: 200, body: Array(JSON.members(members).text.utf8))
  }

  private static func error(_ status: Int, _ code: String) -> OAuthResponse {
    OAuthResponse(status: status, body: Array(JSON.members(["error": .string(code)]).text.utf8))
  }
}
