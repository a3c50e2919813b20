import AuthCore
import TextFormat

/// The content of the session's token: the refresh token, and what the server does not repeat.
///
/// OAuth 2.0 has no name for a session, and a client cannot request limits. So the vault stores
/// both, with the refresh token.
struct SavedSession {
  let id: SessionID
  var user: User
  /// The server's own name of the user, if it gave one.
  let subject: String?
  var refresh: String
  /// The refresh token that this one replaces; revoked as soon as the vault has this one.
  var replaced: String?
  /// Whether introspection knows the server's refresh tokens.
  let isIntrospected: Bool
  let limits: LimitRequest
  let boot: BootID
  /// The start of the session, and the last activity.
  let began: Duration
  var active: Duration
  /// Until when the password counts as recently entered.
  let fresh: Duration

  func grant(_ token: SessionToken? = nil, accessToken: AccessToken? = nil) -> Grant {
    Grant(id: id, user: user, token: token ?? self.token, limits: sessionLimits, accessToken: accessToken)
  }

  var sessionLimits: SessionLimits {
    func deadline(_ start: Duration, _ limit: Duration?) -> Deadline {
      limit.map { .at(BootInstant(boot: boot, uptime: start + $0)) } ?? .never
    }
    return SessionLimits(
      idle: deadline(active, limits.idle), absolute: deadline(began, limits.absolute), fresh: deadline(fresh, .zero))
  }
}

extension SavedSession {
  var token: SessionToken {
    let fields = [
      "version": "1", "id": id.rawValue, "refresh_token": refresh, "replaced": replaced,
      "introspected": "\(isIntrospected)", "sub": subject,
      "user": user.id.rawValue, "username": user.username, "name": user.displayName, "role": user.role.rawValue,
      "attributes": Form.text(user.attributes),
      "boot_high": "\(boot.high)", "boot_low": "\(boot.low)", "began": "\(began.attoseconds)",
      "active": "\(active.attoseconds)", "fresh": "\(fresh.attoseconds)",
      "idle": limits.idle.map { "\($0.attoseconds)" }, "absolute": limits.absolute.map { "\($0.attoseconds)" },
    ]
    return SessionToken(bytes: Array(Form.text(fields.compactMapValues(\.self)).utf8))
  }

  /// Nil for a token that this authority did not create.
  init?(_ token: SessionToken) {
    guard let fields = Form.fields(String(decoding: token.bytes, as: UTF8.self)), fields["version"] == "1" else {
      return nil
    }
    func duration(_ name: String) -> Duration? {
      fields[name].flatMap { Int128($0) }.map { Duration(attoseconds: $0) }
    }
    guard let id = fields["id"], let refresh = fields["refresh_token"], let user = fields["user"],
      let username = fields["username"], let name = fields["name"], let role = fields["role"].flatMap(Role.init),
      let attributes = fields["attributes"].flatMap({ Form.fields($0) }),
      let high = fields["boot_high"].flatMap({ UInt64($0) }), let low = fields["boot_low"].flatMap({ UInt64($0) }),
      let began = duration("began"), let active = duration("active"), let fresh = duration("fresh")
    else { return nil }
    self.init(
      id: SessionID(rawValue: id),
      user: User(
        id: UserID(rawValue: user), username: username, displayName: name, role: role, attributes: attributes),
      subject: fields["sub"], refresh: refresh, replaced: fields["replaced"],
      isIntrospected: fields["introspected"] == "true",
      limits: LimitRequest(idle: duration("idle"), absolute: duration("absolute")),
      boot: BootID(high: high, low: low), began: began, active: active, fresh: fresh)
  }
}
