package import AuthAccounts
package import AuthCore

extension Rules {
  package func events(
    _ scope: EventScope = .own, _ page: Page = Page(), token: SessionToken
  ) throws(BackendError) -> Found<Event> {
    try reading(token, scope == .everyone ? Operations.allEvents.needs : Operations.events.needs) {
      (db, own) throws(BackendError) in
      switch scope {
      case .own:
        try search(
          page,
          part: { end throws(BackendError) in try db.first(EventQuery.partOfAccount, own.account, end, Self.part) },
          rows: { first, end, limit throws(BackendError) in
            if !page.isRestricted { return try db.all(EventSelection.newestOfAccount, own.account, end, limit) }
            return try db.all(
              EventSelection.pageOfAccount, own.account, end, first, page.since, page.until, page.pattern, limit)
          })
      case .everyone:
        try search(
          page, part: { end throws(BackendError) in try db.first(EventQuery.part, end, Self.part) },
          rows: { first, end, limit throws(BackendError) in
            if !page.isRestricted { return try db.all(EventSelection.newest, end, limit) }
            return try db.all(EventSelection.page, end, first, page.since, page.until, page.pattern, limit)
          })
      }
    }
  }
}

extension Event: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    self.init(
      id: try row[0], at: try row[1], name: try row[2], account: DeletedAccount.shown(try row[3]),
      actor: DeletedAccount.shown(try row[4]), session: try row[5], detail: (try row[6] as String?)?.shortened)
  }
}

extension Transaction {
  /// Stores a new event, about an account or about none.
  ///
  /// A session is named by its public name, so that one that is seen here can be revoked. That name
  /// is no secret and opens nothing; the token, which does, is never written (OWASP Logging Cheat
  /// Sheet, "Data to exclude").
  func record(
    _ name: EventName, account: Int64?, actor: Int64? = nil, session: SessionID? = nil, detail: String? = nil
  ) throws(BackendError) {
    let detail = detail?.shortened
    if let number = try eventNumber() {
      try run(EventQuery.numbered, wallTime, name.rawValue, account, actor, session, detail, number)
    } else {
      try run(EventQuery.append, wallTime, name.rawValue, account, actor, session, detail)
    }
  }

  /// Logs an action of a session's user on an account, by default on the user's own.
  func record(
    _ name: EventName, by own: SessionRow, to account: Int64? = nil, detail: String? = nil
  ) throws(BackendError) {
    try record(name, account: account ?? own.account, actor: own.account, session: own.id, detail: detail)
  }
}

extension String {
  /// The part of a detail that is stored and shown.
  fileprivate var shortened: String {
    var text = self
    while text.utf8.count > Event.longestDetail {
      text.unicodeScalars.removeLast(max(1, (text.utf8.count - Event.longestDetail) / 4))
    }
    return text
  }
}

/// The statements about events.
///
/// The events of an account, or of none, come from the index that has both columns, whatever the
/// planner believes: no other has their order. For `account = $1` the order would be that of the
/// numbers alone, which is also that of the primary key, and a planner that believes that most
/// events are of this account would walk all others.
package enum EventQuery: String, Query {
  case append = "INSERT INTO events(at, name, account, actor, session, detail) VALUES ($1, $2, $3, $4, $5, $6)"
  case numbered = """
    INSERT INTO events(at, name, account, actor, session, detail, id) VALUES ($1, $2, $3, $4, $5, $6, $7)
    """
  /// One more than the last number.
  case next = "SELECT coalesce(max(id) + 1, 0) FROM events"
  /// The newest event that concerns no account and is one too many.
  case surplus = """
    SELECT id FROM events WHERE account IS NULL AND name <> 'authz_admin'
    ORDER BY account DESC, id DESC LIMIT 1 OFFSET $1
    """
  case deleteSurplus = """
    DELETE FROM events WHERE id IN (SELECT id FROM events
      WHERE account IS NULL AND name <> 'authz_admin' AND id <= $1 ORDER BY account, id LIMIT 1000)
    """
  /// The last row of a part of a list.
  case part = "SELECT id, at FROM events WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2"
  case partOfAccount = """
    SELECT id, at FROM events WHERE account IN ($1, $1) AND id < $2
    ORDER BY account DESC, id DESC LIMIT 1 OFFSET $3
    """
  case allowArchiving = "UPDATE authority SET archived_through = $1 WHERE id = 1"
  case deleteArchived = "DELETE FROM events WHERE id > $1 AND id <= $2 AND at < $3"
}

/// Events, in the columns that ``Event`` reads.
package enum EventSelection: CaseIterable, Query {
  /// Pages of all events, of which PostgreSQL would read many more for the conditions of a search.
  case newest, newestOfAccount
  /// Pages of a search.
  case page, pageOfAccount
  case archivable

  /// Compares the text of an event with a pattern: what lists show, and the name of the event
  /// beside its words.
  private static let text: String = {
    let words = EventName.allCases.map { " WHEN '\($0.rawValue)' THEN '\($0.words)'" }.joined()
    return """
      lower(e.name || ' ' || CASE e.name\(words) ELSE '' END || ' '
        || CASE WHEN a.name < '-' THEN 'deleted account' ELSE coalesce(a.name, '') END || ' '
        || CASE WHEN b.name < '-' THEN 'deleted account' ELSE coalesce(b.name, '') END || ' '
        || coalesce(e.session, '') || ' ' || coalesce(e.detail, '')) LIKE
      """
  }()

  package var sql: String {
    // The times are those that are shown.
    let rows =
      switch self {
      case .newest: "e.id < $1 ORDER BY e.id DESC LIMIT $2"
      case .newestOfAccount: "e.account IN ($1, $1) AND e.id < $2 ORDER BY e.account DESC, e.id DESC LIMIT $3"
      case .page:
        """
        e.id < $1 AND e.id >= $2 AND e.at >= $3 AND e.at < $4 AND \(Self.text) $5 ESCAPE '!'
        ORDER BY e.id DESC LIMIT $6
        """
      case .pageOfAccount:
        """
        e.account IN ($1, $1) AND e.id < $2 AND e.id >= $3 AND e.at >= $4 AND e.at < $5
          AND \(Self.text) $6 ESCAPE '!'
        ORDER BY e.account DESC, e.id DESC LIMIT $7
        """
      case .archivable: "e.id > $1 ORDER BY e.id LIMIT $2"
      }
    return """
      SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
      FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor WHERE \(rows)
      """
  }
}
