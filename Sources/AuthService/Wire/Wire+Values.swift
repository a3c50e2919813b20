import AuthBackend
import AuthCore
import AuthDevice

// Each value with both directions side by side.

extension WireWriter {
  @discardableResult
  func duration(_ value: Duration) -> WireWriter {
    number(value.components.seconds).number(value.components.attoseconds)
  }

  @discardableResult
  func wallTime(_ value: WallTime) -> WireWriter { number(value.microseconds) }

  @discardableResult
  func instant(_ value: BootInstant) -> WireWriter {
    number(value.boot.high).number(value.boot.low).duration(value.uptime)
  }
}

extension WireReader {
  mutating func duration() throws(WireFault) -> Duration {
    Duration(secondsComponent: try number(), attosecondsComponent: try number())
  }

  mutating func wallTime() throws(WireFault) -> WallTime { WallTime(microseconds: try number()) }

  mutating func instant() throws(WireFault) -> BootInstant {
    BootInstant(boot: BootID(high: try number(), low: try number()), uptime: try duration())
  }

  mutating func optionalInstant() throws(WireFault) -> BootInstant? { try flag() ? try instant() : nil }
}

// MARK: Sessions

enum DeadlineTag: UInt8, CaseIterable { case at = 1, never, unknown }

extension WireWriter {
  @discardableResult
  func deadline(_ value: Deadline) -> WireWriter {
    switch value {
    case .at(let instant): tag(DeadlineTag.at).instant(instant)
    case .never: tag(DeadlineTag.never)
    case .unknown: tag(DeadlineTag.unknown)
    }
  }

  @discardableResult
  func limits(_ value: SessionLimits) -> WireWriter {
    deadline(value.idle).deadline(value.absolute).deadline(value.fresh)
  }

  @discardableResult
  func policy(_ value: SessionPolicy) -> WireWriter {
    duration(value.idle).duration(value.absolute).duration(value.fresh)
  }

  @discardableResult
  func limitRequest(_ value: LimitRequest) -> WireWriter {
    optional(value.idle, duration).optional(value.absolute, duration)
  }

  @discardableResult
  func user(_ value: User) -> WireWriter {
    text(value.id.rawValue).text(value.username).text(value.displayName).word(value.role)
  }

  @discardableResult
  func grant(_ value: Grant) -> WireWriter {
    text(value.id.rawValue).user(value.user).token(value.token).limits(value.limits)
  }

  @discardableResult
  func newSession(_ value: NewSession) -> WireWriter {
    token(value.token).optional(value.label, text).optional(value.origin, origin)
  }

  @discardableResult
  func origin(_ value: SessionOrigin) -> WireWriter {
    optional(value.terminal, text).optional(value.program, text).optional(value.host, text)
  }

  @discardableResult
  func session(_ value: SessionSummary) -> WireWriter {
    text(value.id.rawValue).flag(value.isCurrent).optional(value.label, text).optional(value.origin, origin)
      .wallTime(value.createdAt).wallTime(value.activeAt).limits(value.limits)
  }

  @discardableResult
  func sessionsPage(_ value: SessionsPage) -> WireWriter {
    optional(value.after) { wallTime($0.createdAt).text($0.id.rawValue) }.number(value.limit)
  }

  @discardableResult
  func password(_ value: Secret) -> WireWriter { data(value.bytes) }

  @discardableResult
  func endReason(_ value: EndReason) -> WireWriter { text(value.code) }
}

extension WireReader {
  mutating func deadline() throws(WireFault) -> Deadline {
    switch try tag(DeadlineTag.self) {
    case .at: .at(try instant())
    case .never: .never
    case .unknown: .unknown
    }
  }

  mutating func limits() throws(WireFault) -> SessionLimits {
    SessionLimits(idle: try deadline(), absolute: try deadline(), fresh: try deadline())
  }

  mutating func policy() throws(WireFault) -> SessionPolicy {
    SessionPolicy(idle: try duration(), absolute: try duration(), fresh: try duration())
  }

  mutating func optionalDuration() throws(WireFault) -> Duration? { try flag() ? try duration() : nil }

  mutating func limitRequest() throws(WireFault) -> LimitRequest {
    LimitRequest(idle: try optionalDuration(), absolute: try optionalDuration())
  }

  mutating func optionalText() throws(WireFault) -> String? { try flag() ? try text() : nil }

  mutating func user() throws(WireFault) -> User {
    User(id: UserID(rawValue: try text()), username: try text(), displayName: try text(), role: try word())
  }

  mutating func sessionID() throws(WireFault) -> SessionID { SessionID(rawValue: try text()) }

  mutating func grant() throws(WireFault) -> Grant {
    Grant(id: try sessionID(), user: try user(), token: try token(), limits: try limits())
  }

  mutating func newSession() throws(WireFault) -> NewSession {
    NewSession(token: try token(), label: try optionalText(), origin: try flag() ? try origin() : nil)
  }

  mutating func origin() throws(WireFault) -> SessionOrigin {
    SessionOrigin(terminal: try optionalText(), program: try optionalText(), host: try optionalText())
  }

  mutating func session() throws(WireFault) -> SessionSummary {
    SessionSummary(
      id: try sessionID(), isCurrent: try flag(), label: try optionalText(), origin: try flag() ? try origin() : nil,
      createdAt: try wallTime(), activeAt: try wallTime(), limits: try limits())
  }

  mutating func sessionsPage() throws(WireFault) -> SessionsPage {
    SessionsPage(
      after: try flag() ? .init(createdAt: try wallTime(), id: try sessionID()) : nil, limit: try number())
  }

  mutating func password() throws(WireFault) -> Secret { Secret(bytes: try data()) }

  mutating func endReason() throws(WireFault) -> EndReason {
    guard let reason = EndReason(code: try text()) else { throw .invalid("end reason") }
    return reason
  }
}
