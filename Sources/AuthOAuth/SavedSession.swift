import AuthCore
import TextFormat

/// The content of the session's token: the refresh token, and facts that the server does not
/// repeat.
///
/// OAuth 2.0 has no name for a session, and a client cannot request limits. So the vault stores
/// both, with the refresh token.
struct SavedSession {
  let id: SessionID
  var user: User
  /// The server's name for the user, if it sent one.
  let subject: String?
  var refresh: String
  /// The refresh token that this one replaces; revoked as soon as the vault has this one.
  var replaced: String?
  /// Whether the server introspects its refresh tokens.
  let isIntrospected: Bool
  let limits: LimitRequest
  /// The start of the session, and the last activity.
  let began: BootInstant
  var active: BootInstant
  /// Until when the password counts as recently entered.
  let fresh: BootInstant

  func grant(_ token: SessionToken? = nil, accessToken: AccessToken? = nil) -> Grant {
    Grant(id: id, user: user, token: token ?? self.token, limits: sessionLimits, accessToken: accessToken)
  }

  var sessionLimits: SessionLimits {
    SessionLimits(
      idle: limits.idle.map { .at(active.advanced(by: $0)) } ?? .never,
      absolute: limits.absolute.map { .at(began.advanced(by: $0)) } ?? .never, fresh: .at(fresh))
  }
}

extension SavedSession {
  var token: SessionToken {
    let fields = [
      "version": "1", "id": id.rawValue, "refresh_token": refresh, "replaced": replaced,
      "introspected": "\(isIntrospected)", "sub": subject,
      "user": user.id.rawValue, "username": user.username, "name": user.displayName, "role": user.role.rawValue,
      "attributes": Form.text(user.attributes),
      "boot_high": "\(began.boot.high)", "boot_low": "\(began.boot.low)", "began": "\(began.uptime.attoseconds)",
      "active": "\(active.uptime.attoseconds)", "fresh": "\(fresh.uptime.attoseconds)",
      "idle": limits.idle.map { "\($0.attoseconds)" }, "absolute": limits.absolute.map { "\($0.attoseconds)" },
    ]
    return SessionToken(bytes: Array(Form.text(fields).utf8))
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
    let boot = BootInstant(boot: BootID(high: high, low: low), uptime: .zero)
    self.init(
      id: SessionID(rawValue: id),
      user: User(
        id: UserID(rawValue: user), username: username, displayName: name, role: role, attributes: attributes),
      subject: fields["sub"], refresh: refresh, replaced: fields["replaced"],
      isIntrospected: fields["introspected"] == "true",
      limits: LimitRequest(idle: duration("idle"), absolute: duration("absolute")),
      began: boot.advanced(by: began), active: boot.advanced(by: active), fresh: boot.advanced(by: fresh))
  }
}
