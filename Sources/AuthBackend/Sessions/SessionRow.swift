import AuthCore
import AuthDevice

/// A session as it is stored, with whose it is.
struct SessionRow: Sendable {
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
  /// How long the session lives at most after its password was entered, in nanoseconds; nil where
  /// only the policy says it.
  let absoluteSpan: Int64?
  /// Why it was marked as ended, if it was.
  let marked: EndReason?
  private let isDisabled: Bool

  init(_ row: Row, in db: any Transaction) throws(BackendError) {
    guard let boot = BootID(row.blob(1)) else { throw db.damaged("a session has no boot id") }
    self.boot = boot
    id = SessionID(rawValue: row.text(0))
    terms = SessionTerms(row, from: 2)
    if let stored = row.optionalText(6) {
      guard let reason = EndReason(code: stored) else { throw db.damaged("a session ended for an unknown reason") }
      marked = reason
    } else {
      marked = nil
    }
    label = row.optionalText(7)
    createdAt = WallTime(microseconds: row.integer(8))
    activeAt = WallTime(microseconds: row.integer(9))
    tokenHash = row.blob(10)
    usesAfterEnd = row.integer(11)
    isDisabled = row.flag(12)
    account = row.integer(13)
    user = try AccountRow.user(row, from: 13, in: db)
    absoluteSpan = row.isNull(17) ? nil : row.integer(17)
  }

  /// Why the session is over at `now`, or nil while it lives.
  ///
  /// A stored reason takes precedence over the clock.
  func end(at now: BootInstant) -> EndReason? {
    if let marked { return marked }
    if isDisabled { return .accountDisabled }
    return limits.endReason(at: now)
  }

  var limits: SessionLimits { terms.limits(in: boot) }

  /// The same session under other terms.
  func with(_ terms: SessionTerms) -> SessionRow {
    var copy = self
    copy.terms = terms
    return copy
  }

  func grant(token: SessionToken) -> Grant {
    Grant(id: id, user: user, token: token, limits: limits)
  }
}

extension SessionTerms {
  /// Reads last activity, idle span, absolute and fresh limit from four columns.
  init(_ row: Row, from column: Int32) {
    self.init(
      active: row.integer(column), idleSpan: row.integer(column + 1), absoluteUntil: row.integer(column + 2),
      freshUntil: row.integer(column + 3))
  }

  /// Whether the last activity that was written down is old enough for the next one to be.
  func isStale(at now: BootInstant) -> Bool {
    now.uptime - .nanoseconds(active) >= .nanoseconds(min(SessionPolicy.activityStep, idleSpan / 30))
  }
}

/// A token of a session that is not its present one: issued with terms of its own, or superseded,
/// and then without.
struct OtherToken: Sendable {
  let session: String
  let terms: SessionTerms?

  init(_ row: Row) {
    session = row.text(0)
    terms = row.isNull(2) ? nil : SessionTerms(row, from: 1)
  }
}
