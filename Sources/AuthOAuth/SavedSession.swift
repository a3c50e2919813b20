import AuthCore
import TextFormat

/// What the session's token holds: the refresh token, and what the server does not say again.
///
/// OAuth 2.0 has no name for a session, and no limits that a client asks for. Both are kept with
/// the refresh token, in the vault.
struct SavedSession {
  var id: SessionID
  var user: User
  /// The server's own name of the user, where it gave one.
  var subject: String?
  var refresh: String
  /// The refresh token that this one replaces; revoked as soon as this one is in the vault.
  var replaced: String?
  /// Whether the server knows refresh tokens at its introspection endpoint.
  var isIntrospected: Bool
  /// When the session began, and the last activity.
  var began: BootInstant
  var active: Duration
  /// Until when the password counts as recently entered.
  var fresh: Duration
  var limits: LimitRequest

  func grant(_ token: SessionToken? = nil, accessToken: AccessToken? = nil) -> Grant {
    Grant(id: id, user: user, token: token ?? self.token, limits: sessionLimits, accessToken: accessToken)
  }

  var sessionLimits: SessionLimits {
    func deadline(_ uptime: Duration) -> Deadline { .at(BootInstant(boot: began.boot, uptime: uptime)) }
    return SessionLimits(
      idle: limits.idle.map { deadline(active + $0) } ?? .never,
      absolute: limits.absolute.map { deadline(began.uptime + $0) } ?? .never, fresh: deadline(fresh))
  }

  private static let attribute = "attribute."

  var token: SessionToken {
    var fields = [
      "version": "1", "id": id.rawValue, "refresh_token": refresh, "introspected": "\(isIntrospected)",
      "user": user.id.rawValue, "username": user.username, "name": user.displayName, "role": user.role.rawValue,
      "boot": "\(began.boot.high) \(began.boot.low)", "began": began.uptime.text, "active": active.text,
      "fresh": fresh.text,
    ]
    (fields["sub"], fields["replaced"]) = (subject, replaced)
    for (name, value) in user.attributes { fields[Self.attribute + name] = value }
    (fields["idle"], fields["absolute"]) = (limits.idle?.text, limits.absolute?.text)
    return SessionToken(bytes: Array(Form.text(fields).utf8))
  }
}

extension SavedSession {
  /// Nil for a token that this authority did not make.
  init?(_ token: SessionToken) {
    guard let fields = Form.fields(String(decoding: token.bytes, as: UTF8.self)), fields["version"] == "1",
      let id = fields["id"], let refresh = fields["refresh_token"], let user = fields["user"],
      let username = fields["username"], let name = fields["name"], let role = fields["role"].flatMap(Role.init),
      let boot = fields["boot"]?.split(separator: " ").compactMap({ UInt64($0) }), boot.count == 2,
      let began = fields["began"].flatMap(Duration.init(text:)),
      let active = fields["active"].flatMap(Duration.init(text:)),
      let fresh = fields["fresh"].flatMap(Duration.init(text:))
    else { return nil }
    var attributes: [String: String] = [:]
    for (name, value) in fields where name.hasPrefix(Self.attribute) {
      attributes[String(name.dropFirst(Self.attribute.count))] = value
    }
    self.init(
      id: SessionID(rawValue: id),
      user: User(
        id: UserID(rawValue: user), username: username, displayName: name, role: role, attributes: attributes),
      subject: fields["sub"], refresh: refresh, replaced: fields["replaced"],
      isIntrospected: fields["introspected"] == "true",
      began: BootInstant(boot: BootID(high: boot[0], low: boot[1]), uptime: began), active: active, fresh: fresh,
      limits: LimitRequest(
        idle: fields["idle"].flatMap(Duration.init(text:)), absolute: fields["absolute"].flatMap(Duration.init(text:))))
  }
}

extension Duration {
  /// Exact: seconds and attoseconds.
  fileprivate var text: String { "\(components.seconds) \(components.attoseconds)" }

  fileprivate init?(text: String) {
    let parts = text.split(separator: " ").compactMap { Int64($0) }
    guard parts.count == 2 else { return nil }
    self.init(secondsComponent: parts[0], attosecondsComponent: parts[1])
  }
}
