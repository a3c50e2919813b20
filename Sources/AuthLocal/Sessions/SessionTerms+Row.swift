import AuthBackend
import AuthCore

extension SessionTerms {
  /// Reads last activity, idle span, absolute and fresh limit from four columns.
  init(_ row: Row, from column: Int32) {
    self.init(
      active: row.integer(column), idleSpan: row.integer(column + 1), absoluteUntil: row.integer(column + 2),
      freshUntil: row.integer(column + 3))
  }

  /// Whether the last activity that was written down is old enough for the next one to be.
  func isStale(at now: BootInstant) -> Bool {
    now.uptime.wholeNanoseconds - active >= min(LocalAuthority.activityStep, idleSpan / 30)
  }
}

/// A token of a session that is not its present one: issued with terms of its own, or superseded, and then without.
struct OtherToken: Sendable {
  let session: String
  let terms: SessionTerms?

  init(_ row: Row) {
    session = row.text(0)
    terms = row.isNull(2) ? nil : SessionTerms(row, from: 1)
  }
}
