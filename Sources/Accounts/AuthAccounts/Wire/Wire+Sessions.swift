package import AuthCore

extension Duration: WireRecord {
  /// 292 years: longer ones can be more than 64 bits of seconds, at which a computation stops the
  /// process.
  private static let longest: ClosedRange<Duration> = .nanoseconds(Int64.min) ... .nanoseconds(Int64.max)

  private var limited: Duration { min(max(self, Self.longest.lowerBound), Self.longest.upperBound) }

  package static let parts = WireParts<Duration>(
    called: "duration",
    { seconds, attoseconds in
      let value = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
      return longest.contains(value) ? value : nil
    }, \.limited.components.seconds, \.limited.components.attoseconds)
}

extension WallTime: WireRecord {
  package static let parts = WireParts(WallTime.init(microseconds:), \.microseconds)
}

extension BootInstant: WireRecord {
  package static let parts = WireParts<BootInstant>(
    { BootInstant(boot: BootID(high: $0, low: $1), uptime: $2) }, \.boot.high, \.boot.low, \.uptime)
}

extension Deadline: WireUnion {
  package static let forms: [WireForm<Deadline>] = [
    WireForm(Deadline.at) { if case .at(let instant) = $0 { instant } else { nil } },
    WireForm(.never), WireForm(.unknown),
  ]
}

extension SessionLimits: WireRecord {
  package static let parts = WireParts(SessionLimits.init(idle:absolute:fresh:), \.idle, \.absolute, \.fresh)
}

extension SessionPolicy: WireRecord {
  package static let parts = WireParts(SessionPolicy.init(idle:absolute:fresh:), \.idle, \.absolute, \.fresh)
}

extension LimitRequest: WireRecord {
  package static let parts = WireParts(LimitRequest.init(idle:absolute:), \.idle, \.absolute)
}

extension Role: WireValue {
  package static func read(from wire: inout WireReader) throws(WireFault) -> Role {
    guard let role = try wire.word().flatMap(known) else { throw .invalid("Role") }
    return role
  }
}
extension UserID: WireValue {}
extension SessionID: WireValue {}

extension User: WireRecord {
  package static let parts = WireParts<User>(
    { User(id: $0, username: $1, displayName: $2, role: $3) }, \.id, \.username, \.displayName, \.role)
}

extension SessionToken: WireValue {
  package func write(to wire: WireWriter) { wire.token(self) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> SessionToken { try wire.token() }
}

extension Grant: WireRecord {
  package static let parts = WireParts<Grant>(
    { Grant(id: $0, user: $1, token: $2, limits: $3) }, \.id, \.user, \.token, \.limits)
}

extension NewSession: WireRecord {
  package static let parts = WireParts(NewSession.init(token:label:origin:), \.token, \.label, \.origin)
}

extension SessionOrigin: WireRecord {
  package static let parts = WireParts(SessionOrigin.init(terminal:program:host:), \.terminal, \.program, \.host)
}

extension SessionSummary: WireRecord {
  package static let parts = WireParts(
    SessionSummary.init(id:isCurrent:label:origin:createdAt:activeAt:limits:),
    \.id, \.isCurrent, \.label, \.origin, \.createdAt, \.activeAt, \.limits)
}

extension SessionsPage: WireRecord {
  package static let parts = WireParts(SessionsPage.init(after:limit:), \.after, \.limit)
}

extension SessionsPage.Cursor: WireRecord {
  package static let parts = WireParts(SessionsPage.Cursor.init(createdAt:id:), \.createdAt, \.id)
}

extension Secret: WireValue {
  package func write(to wire: WireWriter) { wire.data(bytes) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> Secret { Secret(bytes: try wire.data()) }
}

extension Credentials: WireRecord {
  package static let parts = WireParts(Credentials.password(username:password:), \.username, \.password)
}

extension EndReason: WireValue {
  package func write(to wire: WireWriter) { code.write(to: wire) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> EndReason {
    guard let reason = try wire.word().flatMap(EndReason.init(code:)) else { throw .invalid("end reason") }
    return reason
  }
}
