import AuthCore
import TextFormat

/// The content of the session's token: the refresh token, or the access token where the server
/// gives no other, and facts that the server does not repeat.
///
/// OAuth 2.0 has no name for a session, and a client cannot request limits. So the vault stores
/// both, with the refresh token.
struct SavedSession {
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
  let replaced: [String]
  /// Whether the server introspects the token.
  let isIntrospected: Bool
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

extension SavedSession {
  /// The name of this kind of token in a request (RFC 7009, section 2.1).
  var kind: String { Self.kind(isAccess: isAccess) }

  static func kind(isAccess: Bool) -> String { isAccess ? "access_token" : "refresh_token" }

  var token: SessionToken {
    let fields: [String: String?] = [
      "version": "1", "id": id.rawValue, "refresh_token": refresh,
      "access_only": isAccess ? "true" : nil, "replaced": replaced.joined(separator: " "),
      "introspected": "\(isIntrospected)", "sub": subject,
      "user": user.id.rawValue, "username": user.username, "name": user.displayName, "role": user.role.rawValue,
      "attributes": Form.text(user.attributes),
      "boot_high": "\(began.boot.high)", "boot_low": "\(began.boot.low)", "began": "\(began.uptime.attoseconds)",
      "active": "\(active.uptime.attoseconds)", "fresh": "\(fresh.uptime.attoseconds)",
      "idle": idle.map { "\($0.attoseconds)" }, "absolute": absolute.map { "\($0.attoseconds)" },
    ]
    return SessionToken(bytes: Array(Form.text(fields).utf8))
  }

  /// Nil for a token that this authority did not create.
  init?(_ token: SessionToken) {
    let fields = Form.fields(String(decoding: token.bytes, as: UTF8.self)) ?? [:]
    func time(_ name: String) -> Duration? { fields[name].flatMap { Int128($0) }.map { Duration(attoseconds: $0) } }
    guard fields["version"] == "1", let id = fields["id"], let refresh = fields["refresh_token"],
      let user = fields["user"], let username = fields["username"], let name = fields["name"],
      let role = fields["role"].map(Role.init(rawValue:)),
      let attributes = fields["attributes"].flatMap({ Form.fields($0) }),
      let high = fields["boot_high"].flatMap({ UInt64($0) }), let low = fields["boot_low"].flatMap({ UInt64($0) }),
      let began = time("began"), let active = time("active"), let fresh = time("fresh")
    else { return nil }
    let start = BootInstant(boot: BootID(high: high, low: low), uptime: .zero)
    self.init(
      id: SessionID(rawValue: id),
      user: User(
        id: UserID(rawValue: user), username: username, displayName: name, role: role, attributes: attributes),
      subject: fields["sub"], refresh: refresh, isAccess: fields["access_only"] == "true",
      replaced: (fields["replaced"] ?? "").split(separator: " ").map(String.init),
      isIntrospected: fields["introspected"] == "true", idle: time("idle"), absolute: time("absolute"),
      began: start.advanced(by: began), active: start.advanced(by: active), fresh: start.advanced(by: fresh))
  }
}
