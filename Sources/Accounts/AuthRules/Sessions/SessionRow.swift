package import AuthAccounts
import AuthCore
import TextFormat

extension SessionToken {
  /// What is stored in place of the token: the hash of its secret.
  var digest: [UInt8] { SHA256.hash(Array(parts.secret)) }
}

/// The stored row of a session, with its user.
struct SessionRow: Sendable, RowDecodable {
  let id: SessionID
  let tokenHash: [UInt8]
  let account: Int64
  let user: User
  let label: String?
  let boot: BootID
  private(set) var terms: SessionTerms
  let createdAt: WallTime
  let activeAt: WallTime
  let usesAfterEnd: Int64
  /// How long the session lives at most after its password was entered.
  let absoluteSpan: Duration
  /// Why it was marked as ended, if it was.
  let marked: EndReason?
  private let isDisabled: Bool

  /// Reads the columns of ``SessionSelection``.
  init(_ row: Row) throws(BackendError) {
    (id, boot, terms) = (try row[0], try row[1], try row[2])
    (marked, label, createdAt, activeAt) = (try row[6], try row[7], try row[8], try row[9])
    (tokenHash, usesAfterEnd, isDisabled) = (try row[10], try row[11], try row[12])
    (account, user, absoluteSpan) = (try row[13], try row[13], try row[17])
  }

  /// The reason why the session has ended by `now`; nil while it is active.
  ///
  /// A stored reason takes precedence over the clock.
  func end(at now: BootInstant) -> EndReason? {
    if let marked { return marked }
    if isDisabled { return .accountDisabled }
    // A clock that was set back must not make a session longer.
    if boot == now.boot, terms.active - now.uptime > SessionPolicy.clockTolerance { return .rebooted }
    return limits.endReason(at: now)
  }

  var limits: SessionLimits { terms.limits(in: boot) }

  /// The same session under other terms.
  func with(_ terms: SessionTerms) -> SessionRow {
    var copy = self
    copy.terms = terms
    return copy
  }

  func grant(_ token: SessionToken) -> Grant { Grant(id: id, user: user, token: token, limits: limits) }
}

/// The limits of a session as they are stored, on the clock of the session's boot.
struct SessionTerms: Sendable, RowDecodable {
  let active: Duration
  let idleSpan: Duration
  let absoluteUntil: Duration
  let freshUntil: Duration

  /// The terms of a session that gets these limits now.
  init(_ policy: SessionPolicy, from now: BootInstant) {
    (active, idleSpan) = (now.uptime, policy.idle)
    (absoluteUntil, freshUntil) = ((active + policy.absolute).stored, (active + policy.fresh).stored)
  }

  /// Reads last activity, idle span, absolute and fresh limit from four columns.
  init(_ row: Row) throws(BackendError) {
    (active, idleSpan) = (try row[0], try row[1])
    (absoluteUntil, freshUntil) = (try row[2], try row[3])
  }

  func limits(in boot: BootID) -> SessionLimits {
    func instant(_ uptime: Duration) -> Deadline { .at(BootInstant(boot: boot, uptime: uptime)) }
    return SessionLimits(
      idle: instant((active + idleSpan).stored), absolute: instant(absoluteUntil), fresh: instant(freshUntil))
  }

  /// Whether the last activity that was written down is old enough for the next one to be.
  func isStale(at now: BootInstant) -> Bool {
    now.uptime - active >= min(SessionPolicy.activityStep, idleSpan / 30)
  }
}

/// Another token of a session: issued, with terms of its own, or superseded, without terms.
struct OtherToken: Sendable, RowDecodable {
  let session: SessionID
  let terms: SessionTerms?

  init(_ row: Row) throws(BackendError) {
    session = try row[0]
    let isIssued = try row[2] as Int64? != nil
    terms = isIssued ? try row[1] : nil
  }
}

extension SessionOrigin: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    self.init(terminal: try row[0], program: try row[1], host: try row[2])
  }
}
