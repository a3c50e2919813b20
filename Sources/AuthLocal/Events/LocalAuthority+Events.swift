package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// Events, newest first.
  ///
  /// - Parameters:
  ///   - scope: Whose.
  ///   - since: Only those written at this time or later; nil for all. Where the wall clock was set back, what was
  ///     written after that counts as no earlier than what was written before.
  ///   - before: Only those before this number; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - token: The session that asks.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError``, of kind `notPermitted` for others' events without the role.
  package func events(
    _ scope: EventScope = .own, since: WallTime? = nil, before: Int64? = nil, limit: Int = 50, token: SessionToken
  ) throws(BackendError) -> [Event] {
    let range: (SQLValue, SQLValue) = (.integer(since?.microseconds ?? Int64.min), .integer(before ?? Int64.max))
    switch scope {
    case .own:
      return try reading(token) { (db, own, _) throws(BackendError) in
        try db.all(EventQuery.pageOfAccount, .integer(own.account), range.0, range.1, .integer(max(0, limit))) {
          Self.event($0)
        }
      }
    case .everyone:
      return try administering(token, reading: "events") { (db, _, _) throws(BackendError) in
        try db.all(EventQuery.page, range.0, range.1, .integer(max(0, limit))) { Self.event($0) }
      }
    }
  }

  private static func event(_ row: Row) -> Event {
    Event(
      id: row.integer(0), at: WallTime(microseconds: row.integer(1)), name: row.text(2), account: row.optionalText(3),
      actor: row.optionalText(4), session: row.optionalText(5).map(EventSession.init(stored:)),
      detail: row.optionalText(6))
  }
}

extension EventSession {
  /// Tells the two forms apart: a public name is shorter than a hash was.
  fileprivate init(stored: String) {
    let hashLength = 16
    self = stored.utf8.count == hashLength ? .hashed(stored) : .named(SessionID(rawValue: stored))
  }
}
