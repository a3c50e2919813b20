package import AuthCore

extension Rules {
  /// Events, newest first.
  ///
  /// - Parameters:
  ///   - scope: Whose.
  ///   - times: Only those written within; see ``TimeSpan``.
  ///   - text: Only those that contain it.
  ///   - before: Only those before this number; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - token: The session that asks.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError``, of kind `notPermitted` for others' events without the role.
  package func events(
    _ scope: EventScope = .own, within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil,
    limit: Int = 50, token: SessionToken
  ) throws(BackendError) -> [Event] {
    let since = SQLValue.integer(times.since?.microseconds ?? Int64.min)
    let until = SQLValue.integer(times.until?.microseconds ?? Int64.max)
    let before = SQLValue.integer(before ?? Int64.max)
    let (pattern, limit) = (SQLValue.pattern(containing: text), SQLValue.integer(max(0, limit)))
    switch scope {
    case .own:
      return try reading(token) { (db, own, _) throws(BackendError) in
        try db.all(EventQuery.pageOfAccount, .integer(own.account), before, since, until, pattern, limit) {
          Self.event($0)
        }
      }
    case .everyone:
      return try administering(token, reading: "events") { (db, _, _) throws(BackendError) in
        try db.all(EventQuery.page, before, since, until, pattern, limit) { Self.event($0) }
      }
    }
  }

  static func event(_ row: Row) -> Event {
    Event(
      id: row.integer(0), at: WallTime(microseconds: row.integer(1)), name: row.text(2),
      account: DeletedAccount.shown(row.optionalText(3)), actor: DeletedAccount.shown(row.optionalText(4)),
      session: row.optionalText(5).map(EventSession.init(stored:)), detail: row.optionalText(6))
  }
}

extension EventSession {
  /// Tells the two forms apart: a public name is shorter than a hash was.
  fileprivate init(stored: String) {
    let hashLength = 16
    self = stored.utf8.count == hashLength ? .hashed(stored) : .named(SessionID(rawValue: stored))
  }
}

extension Rules {
  /// Appends an event in the transaction that `db` is in.
  ///
  /// A session is named by its public name, so that one that is seen here can be revoked. That name
  /// is no secret and opens nothing; the token, which does, is never written (OWASP Logging Cheat
  /// Sheet, "Data to exclude").
  func record(
    _ name: EventName, account: Int64?, actor: Int64? = nil, session: SessionID? = nil, detail: String? = nil,
    in db: any Transaction
  ) throws(BackendError) {
    func number(_ id: Int64?) -> SQLValue { id.map { .integer($0) } ?? .null }
    try db.run(
      EventQuery.append, .integer(try db.eventNumber()), .integer(db.wallTime.microseconds), .text(name.rawValue),
      number(account), number(actor),
      .text(session?.rawValue), .text(detail))
    if account == nil { try db.run(EventQuery.trim, .integer(Event.namelessLimit)) }
  }

  /// Appends an event of what the user of a session did, to an account or to their own.
  func record(
    _ name: EventName, by own: SessionRow, to account: Int64? = nil, detail: String? = nil, in db: any Transaction
  ) throws(BackendError) {
    try record(
      name, account: account ?? own.account, actor: own.account, session: own.id, detail: detail, in: db)
  }
}

package enum EventQuery: String, Query {
  case append = """
    INSERT INTO events(id, at, name, account, actor, session, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)
    """
  /// One more than the last number.
  case next = "SELECT coalesce(max(id) + 1, 0) FROM events"
  case trim = """
    DELETE FROM events WHERE account IS NULL AND id IN (SELECT id FROM events
      WHERE account IS NULL AND name <> 'authz_admin' ORDER BY id DESC LIMIT 4 OFFSET $1)
    """
  // The times are those that are shown, and so is the text.
  case page = """
    SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
    FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
    WHERE e.id < $1 AND e.at >= $2 AND e.at < $3
      AND lower(e.name || ' ' || CASE WHEN a.name < '-' THEN 'deleted account' ELSE coalesce(a.name, '') END || ' '
        || CASE WHEN b.name < '-' THEN 'deleted account' ELSE coalesce(b.name, '') END || ' '
        || coalesce(e.session, '') || ' ' || coalesce(e.detail, '')) LIKE $4 ESCAPE '!'
    ORDER BY e.id DESC LIMIT $5
    """
  case archivable = """
    SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
    FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
    WHERE e.id > $1 AND e.at < $2 ORDER BY e.id LIMIT $3
    """
  case allowArchiving = "UPDATE authority SET archived_through = $1 WHERE id = 1"
  case deleteArchived = "DELETE FROM events WHERE id <= $1 AND at < $2"
  case pageOfAccount = """
    SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
    FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
    WHERE e.account = $1 AND e.id < $2 AND e.at >= $3 AND e.at < $4
      AND lower(e.name || ' ' || CASE WHEN a.name < '-' THEN 'deleted account' ELSE coalesce(a.name, '') END || ' '
        || CASE WHEN b.name < '-' THEN 'deleted account' ELSE coalesce(b.name, '') END || ' '
        || coalesce(e.session, '') || ' ' || coalesce(e.detail, '')) LIKE $5 ESCAPE '!'
    ORDER BY e.id DESC LIMIT $6
    """
}
