import AuthCore
import AuthOAuth
import ConcurrencyKit
import TextFormat

/// A server that speaks OAuth 2.0, in memory, with the browser that logs in at it.
///
/// The old token of an exchange works until the new one is used.
final class ServerDouble: Sendable {
  typealias Answer = (status: Int, headers: [String: String], body: [UInt8])

  struct State {
    var rotates = true
    /// Whether the use of a spent token ends the session (RFC 9700, section 4.14.2).
    var detectsReuse = true
    /// Whether a login gives a refresh token.
    var refreshes = true
    /// Whether the end of one token ends all sessions of its user.
    var endsAll = false
    /// Whether introspection knows refresh tokens.
    var introspects = true
    var isDeviceAllowed = false
    /// Whether a login in the browser gives an ID token.
    var identifies = false
    /// When the user entered the password, in seconds since 1970.
    var passwordEntered = ServerDouble.wallClock
    /// Whom a refresh answers for, in place of the user who logged in.
    var impostor: String?
    /// How the client, whose secret is ``ServerDouble/secret``, has to authenticate, by path; a
    /// path that is missing here takes every way, and a client without a secret.
    var demands: [String: OAuthServer.ClientAuthentication] = [:]
    var isOffline = false
    /// Runs before each request is answered.
    var whileUnderWay: @Sendable () -> Void = {}

    /// Answers in place of the server's own, each for one request to the path.
    fileprivate var scripted: [String: [Answer]] = [:]
    fileprivate var codes: [String: (user: String, challenge: String?, redirectURI: String?, nonce: String?)] = [:]
    fileprivate var refresh: [String: (family: Int, user: String, replaces: String?, isDead: Bool)] = [:]
    fileprivate var access: [String: String] = [:]
    fileprivate var issued = 0
    fileprivate var log: [OAuthRequest] = []
  }

  /// The time of its clock and of the authority's, in seconds since 1970.
  static let wallClock: Int64 = 1_800_000_000
  static let place = "https://server.example"
  static let secret = Secret("a:b c%d+é")
  static let passwords = ["alice": "marble kettle window harvest", "bob": "paper lantern river orchard"]
  private let state = Locked(State())

  /// Its addresses, as an app writes them.
  var description: OAuthServer {
    var server = OAuthServer(
      issuer: Self.place,
      endpoints: [
        .authorization: "\(Self.place)/authorize", .token: "\(Self.place)/token", .userInfo: "\(Self.place)/userinfo",
        .revocation: "\(Self.place)/revoke", .introspection: "\(Self.place)/introspect",
        .deviceAuthorization: "\(Self.place)/device",
      ]
    ) { try await self.send($0) }
    server.namesIssuer = true
    return server
  }

  func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

  /// Answers the next request to a path with this.
  func script(_ path: String, _ status: Int, _ body: String, _ headers: [String: String] = [:]) {
    state.withLock { $0.scripted[path, default: []].append((status, headers, Array(body.utf8))) }
  }

  /// The forms that a path got, in order.
  func forms(_ path: String) -> [[String: String]] {
    requests.filter { $0.url == Self.place + path }.map(Self.form)
  }

  var requests: [OAuthRequest] { state.withLock { $0.log } }

  /// Where the browser returns to after the user entered this password, or the right one.
  func browse(_ url: String, as user: String = "alice", _ password: Secret? = nil) throws -> String {
    struct NotAccepted: Error {}
    guard let right = Self.passwords[user], password == nil || password == Secret(right),
      let fields = url.split(separator: "?").last.flatMap({ Self.fields(String($0)) }), fields["client_id"] == "app",
      fields["response_type"] == "code", fields["code_challenge_method"] == "S256",
      let redirectURI = fields["redirect_uri"]
    else { throw NotAccepted() }
    let code = state.withLock { state in
      let code = state.next("code")
      state.codes[code] = (user, fields["code_challenge"], redirectURI, fields["nonce"])
      return code
    }
    return redirectURI + "?" + Form.text(["code": code, "state": fields["state"], "iss": Self.place])
  }

  private static func form(_ request: OAuthRequest) -> [String: String] {
    fields(String(decoding: request.body, as: UTF8.self)) ?? [:]
  }

  /// The parameters without `resource`, the only one that may be repeated.
  private static func fields(_ text: String) -> [String: String]? {
    Form.fields(text.replacing(/&?resource=[^&]*/, with: ""))
  }

  /// The secret in a header, and the id in the form too.
  static let basicWithID = OAuthServer.ClientAuthentication(rawValue: "client_secret_basic client_id")

  /// How the client authenticated; nil without a secret, and with a wrong one.
  static func authentication(
    of request: OAuthRequest, _ form: [String: String]
  ) -> OAuthServer.ClientAuthentication? {
    // `app:a:b c%d+é`, each part as in a form (RFC 6749, section 2.3.1).
    let basic = "Basic YXBwOmElM0FiJTIwYyUyNWQlMkIlQzMlQTk="
    if request.headers["Authorization"] == basic { return form["client_id"] == nil ? .basic : basicWithID }
    return form["client_secret"].map { Secret($0) } == secret ? .post : nil
  }

  /// An ID token with these claims and this header.
  static func identity(_ claims: JSON, header: JSON = ["alg": "RS256"]) -> String {
    [header.text, claims.text, "signature"].map { Base64URL.text(Array($0.utf8)) }.joined(separator: ".")
  }

  private func send(_ request: OAuthRequest) async throws -> Answer {
    struct Offline: Error {}
    let path = String(request.url.dropFirst(Self.place.count))
    state.withLock(\.whileUnderWay)()
    return try state.withLock { state in
      if state.isOffline { throw Offline() }
      state.log.append(request)
      if state.scripted[path]?.isEmpty == false, let answer = state.scripted[path]?.removeFirst() { return answer }
      var form = Self.form(request)
      let way = Self.authentication(of: request, form)
      if let demanded = state.demands[path], way != demanded { return json(["error": "invalid_client"], status: 401) }
      if way == .basic || way == Self.basicWithID { form["client_id"] = "app" }
      switch path {
      case "/token": return state.tokens(form)
      case "/introspect": return state.introspect(form["token"] ?? "")
      case "/revoke":
        state.kill(form["token"])
        return (200, [:], [])
      case "/userinfo":
        let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? ""
        guard let user = state.access[String(token)] else { return json(["error": "invalid_token"], status: 401) }
        return json(["sub": .string("id-\(user)"), "preferred_username": .string(user), "name": .string(user)])
      case "/device":
        return json([
          "device_code": "device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://server.example/enter",
          "expires_in": 600, "interval": 5,
        ])
      case _: return (404, [:], [])
      }
    }
  }
}

private func json(_ object: JSON, status: Int = 200) -> ServerDouble.Answer {
  (status, [:], Array(object.text.utf8))
}

extension ServerDouble.State {
  /// Removes the answers of the script that no request has used.
  mutating func unscript(_ path: String) { scripted[path] = nil }

  fileprivate mutating func next(_ prefix: String) -> String {
    issued += 1
    return "\(prefix)-\(issued)"
  }

  fileprivate mutating func kill(_ token: String?) {
    guard let token else { return }
    access[token] = nil
    guard let ended = refresh[token] else { return }
    for (token, other) in refresh where endsAll ? other.user == ended.user : other.family == ended.family {
      refresh[token]?.isDead = true
    }
  }

  fileprivate mutating func tokens(_ form: [String: String]) -> ServerDouble.Answer {
    guard form["client_id"] == "app" else { return json(["error": "invalid_client"], status: 401) }
    switch form["grant_type"] {
    case "authorization_code":
      guard let code = codes.removeValue(forKey: form["code"] ?? ""), code.redirectURI == form["redirect_uri"],
        code.challenge == Base64URL.text(SHA256.hash(Array((form["code_verifier"] ?? "").utf8)))
      else { return json(["error": "invalid_grant"], status: 400) }
      return issue(code.user, identity: identifies ? identity(code.user, nonce: code.nonce) : nil)
    case "refresh_token":
      let old = form["refresh_token"] ?? ""
      if let user = use(old) { return issue(impostor ?? user, replacing: old) }
      if detectsReuse { kill(old) }
      return json(["error": "invalid_grant"], status: 400)
    case "urn:ietf:params:oauth:grant-type:device_code":
      return isDeviceAllowed ? issue("alice") : json(["error": "authorization_pending"], status: 400)
    case _: return json(["error": "unsupported_grant_type"], status: 400)
    }
  }

  /// The user of a live token; its use ends the one that it replaces.
  private mutating func use(_ token: String) -> String? {
    guard let entry = refresh[token], !entry.isDead else { return nil }
    if let replaced = entry.replaces { refresh[replaced]?.isDead = true }
    return entry.user
  }

  /// An ID token without a valid signature.
  private func identity(_ user: String, nonce: String?) -> String {
    let claims: JSON = [
      "iss": .string(ServerDouble.place), "sub": .string("id-\(user)"), "aud": "app",
      "iat": .integer(ServerDouble.wallClock), "exp": .integer(ServerDouble.wallClock + 300),
      "auth_time": .integer(passwordEntered), "nonce": .string(orNull: nonce),
    ]
    return ServerDouble.identity(claims)
  }

  private mutating func issue(
    _ user: String, replacing old: String? = nil, identity: String? = nil
  ) -> ServerDouble.Answer {
    let token = next("access")
    access[token] = user
    guard old == nil ? refreshes : rotates else {
      return json(["access_token": .string(token), "token_type": "Bearer", "expires_in": 300])
    }
    let new = next("refresh")
    refresh[new] = (old.flatMap { refresh[$0]?.family } ?? issued, user, old, false)
    return json([
      "access_token": .string(token), "token_type": "Bearer", "expires_in": 300, "refresh_token": .string(new),
      "id_token": .string(orNull: identity),
    ])
  }

  fileprivate mutating func introspect(_ token: String) -> ServerDouble.Answer {
    if let user = access[token] { return json(["active": true, "username": .string(user)]) }
    guard introspects, let user = use(token) else { return json(["active": false]) }
    return json(["active": true, "sub": .string("id-\(user)")])
  }
}
