package enum EventQuery: String, Query {
  /// The number of an event is its time in microseconds, or one more than the last where the wall clock stood still or
  /// went back.
  ///
  /// So the order of numbers is the order of writing, and a time selects a range of them.
  case append = """
    INSERT INTO events(id, at, name, account, actor, session, detail)
    VALUES (max(?1, coalesce((SELECT max(id) + 1 FROM events), 0)), ?1, ?2, ?3, ?4, ?5, ?6)
    """
  case trim = """
    DELETE FROM events WHERE account IS NULL AND id IN
      (SELECT id FROM events WHERE account IS NULL ORDER BY id DESC LIMIT 4 OFFSET ?)
    """
  case page = """
    SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
    FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
    WHERE e.id >= ? AND e.id < ? ORDER BY e.id DESC LIMIT ?
    """
  case pageOfAccount = """
    SELECT e.id, e.at, e.name, a.name, b.name, e.session, e.detail
    FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
    WHERE e.account = ? AND e.id >= ? AND e.id < ? ORDER BY e.id DESC LIMIT ?
    """
}
