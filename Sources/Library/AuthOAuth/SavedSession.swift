import AuthCore
import TextFormat

/// The content of the session's token: the refresh token, or the access token where the server
/// gives no other, and facts that the server does not repeat.
///
/// OAuth 2.0 has no name for a session, and a client cannot request limits. So the vault stores
/// both, with the refresh token. It also stores the server and the client that the token belongs
/// to, so that no change of an app's settings sends it to another server.
struct SavedSession {
  /// The longest token of a session, in bytes, with all that it contains.
  ///
  /// With ``OAuthAuthority/longestToken`` for the access token, it fits into a session file.
  static let longest = 48_000
  /// The longest refresh token, and the longest description of a user, in bytes as they are saved.
  static let (longestRefresh, longestUser) = (16_384, 12_288)
  /// The most refresh tokens that password checks replaced.
  static let mostReplaced = 64
  /// The server and the client that got the tokens.
  let origin: Origin
  let id: SessionID
  var user: User
  /// The server's name for the user, if it sent one.
  let subject: String?
  var refresh: String
  /// Whether the server gave no refresh token: then the access token is in its place.
  let isAccess: Bool
  /// The refresh tokens that password checks replaced; revoked at the logout.
  ///
  /// Some servers end all sessions of the user and the client when one of their tokens is revoked.
  var replaced: [String]
  /// Whether the server introspects the token.
  let isIntrospected: Bool
  /// The scopes that the server granted last; nil if it never said.
  var scope: String?
  /// The newest ID token of this user, if it is kept and there is room for it.
  var identity: String?
  /// Whether the last renewal brought an ID token; nil before the first one.
  var renewsIdentity: Bool?
  /// The limits that were requested.
  let idle: Duration?
  let absolute: Duration?
  /// The start of the session, and the last activity.
  let began: BootInstant
  var active: BootInstant
  /// Until when the password counts as recently entered.
  let fresh: BootInstant

  func grant(_ token: SessionToken? = nil, accessToken: AccessToken? = nil) -> Grant {
    let limits = SessionLimits(
      idle: idle.map { .at(active.advanced(by: $0)) } ?? .never,
      absolute: absolute.map { .at(began.advanced(by: $0)) } ?? .never, fresh: .at(fresh))
    return Grant(id: id, user: user, token: token ?? self.token, limits: limits, accessToken: accessToken)
  }
}

/// The server and the client of a token.
struct Origin: Hashable, Sendable {
  let issuer: String
  let client: String
}

extension SavedSession {
  /// Whether a password check may replace the refresh token: all the tokens that it replaced then
  /// still fit, beside any new token and any user.
  var hasRoomForCheck: Bool {
    guard replaced.count < Self.mostReplaced else { return false }
    var next = self
    (next.refresh, next.user) = ("", User(id: user.id, username: "", displayName: "", role: user.role))
    next.replaced.append(refresh)
    next.identity = nil
    return next.token.bytes.count + Self.longestRefresh + Self.longestUser <= Self.longest
  }

  /// The length of a refresh token as it is saved.
  static func length(of refresh: String) -> Int { Form.text(["": refresh]).utf8.count }

  /// The name of this kind of token in a request (RFC 7009, section 2.1).
  var kind: String { Self.kind(isAccess: isAccess) }

  static func kind(isAccess: Bool) -> String { isAccess ? "access_token" : "refresh_token" }

  var token: SessionToken {
    let whole = SessionToken(bytes: bytes)
    guard identity != nil, whole.bytes.count > Self.longest else { return whole }
    // The ID token is left out before anything that the session needs.
    var smaller = self
    smaller.identity = nil
    return SessionToken(bytes: smaller.bytes)
  }

  private var bytes: [UInt8] {
    let fields: [String: String?] = [
      "version": "2", "iss": origin.issuer, "client_id": origin.client, "scope": scope,
      "id": id.rawValue, "refresh_token": refresh,
      "access_only": isAccess ? "true" : nil, "replaced": replaced.joined(separator: " "),
      "introspected": "\(isIntrospected)", "sub": subject,
      "boot_high": "\(began.boot.high)", "boot_low": "\(began.boot.low)", "began": "\(began.uptime.attoseconds)",
      "active": "\(active.uptime.attoseconds)", "fresh": "\(fresh.uptime.attoseconds)",
      "idle": idle.map { "\($0.attoseconds)" }, "absolute": absolute.map { "\($0.attoseconds)" },
      "id_token": identity, "renews_id_token": renewsIdentity.map { "\($0)" },
    ]
    return Array(Form.text(fields.merging(Self.fields(of: user)) { $1 }).utf8)
  }

  private static func fields(of user: User) -> [String: String?] {
    [
      "user": user.id.rawValue, "username": user.username, "name": user.displayName, "role": user.role.rawValue,
      "attributes": Form.text(user.attributes),
    ]
  }

  /// The user without attributes if they would not fit into a vault; nil if the names do not fit
  /// either.
  static func bounded(_ user: User) -> User? {
    func fits(_ user: User) -> Bool { Form.text(fields(of: user)).utf8.count <= longestUser }
    if fits(user) { return user }
    let bare = User(id: user.id, username: user.username, displayName: user.displayName, role: user.role)
    return fits(bare) ? bare : nil
  }

  /// Whose saved session a token is.
  enum Reading {
    /// One of this server and this client.
    case own(SavedSession)
    /// One of another server, or of another client.
    case elsewhere(Origin)
    /// One that names no server, of an earlier version.
    case earlier
    /// No saved session.
    case unknown
  }

  static func read(_ token: SessionToken, at origin: Origin) -> Reading {
    if let saved = SavedSession(token) { return saved.origin == origin ? .own(saved) : .elsewhere(saved.origin) }
    let fields = Form.fields(token.bytes) ?? [:]
    return fields["version"] == "1" && fields["refresh_token"] != nil && fields["boot_high"] != nil
      ? .earlier : .unknown
  }

  /// Nil for a token that this authority did not create.
  init?(_ token: SessionToken) {
    let fields = Form.fields(token.bytes) ?? [:]
    func time(_ name: String) -> Duration? { fields[name].flatMap { Int128($0) }.map { Duration(attoseconds: $0) } }
    guard fields["version"] == "2", let issuer = fields["iss"], let client = fields["client_id"],
      let id = fields["id"], let refresh = fields["refresh_token"],
      let user = fields["user"], let username = fields["username"], let name = fields["name"],
      let role = fields["role"].map(Role.init(rawValue:)),
      let attributes = fields["attributes"].flatMap({ Form.fields($0) }),
      let high = fields["boot_high"].flatMap({ UInt64($0) }), let low = fields["boot_low"].flatMap({ UInt64($0) }),
      let began = time("began"), let active = time("active"), let fresh = time("fresh")
    else { return nil }
    let start = BootInstant(boot: BootID(high: high, low: low), uptime: .zero)
    self.init(
      origin: Origin(issuer: issuer, client: client), id: SessionID(rawValue: id),
      user: User(
        id: UserID(rawValue: user), username: username, displayName: name, role: role, attributes: attributes),
      subject: fields["sub"], refresh: refresh, isAccess: fields["access_only"] == "true",
      replaced: (fields["replaced"] ?? "").split(separator: " ").map(String.init),
      isIntrospected: fields["introspected"] == "true", scope: fields["scope"], identity: fields["id_token"],
      renewsIdentity: fields["renews_id_token"].map { $0 == "true" }, idle: time("idle"),
      absolute: time("absolute"),
      began: start.advanced(by: began), active: start.advanced(by: active), fresh: start.advanced(by: fresh))
  }
}
