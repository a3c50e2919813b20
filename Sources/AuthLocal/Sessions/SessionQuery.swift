/// The statements about sessions.
///
/// The columns of a selection are in the order that ``SessionRow`` reads.
package enum SessionQuery: String, Query {
  case byToken = """
    SELECT s.id, s.boot, s.active, s.idle_span, s.absolute_until, s.fresh_until, s.ended_reason, s.label, s.created_at,
      s.active_at, s.token_hash, s.uses_after_end, a.disabled, a.id, a.name, a.display_name, a.role
    FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.token_hash = ?
    """
  case byID = """
    SELECT s.id, s.boot, s.active, s.idle_span, s.absolute_until, s.fresh_until, s.ended_reason, s.label, s.created_at,
      s.active_at, s.token_hash, s.uses_after_end, a.disabled, a.id, a.name, a.display_name, a.role
    FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.id = ?
    """
  case ofAccount = """
    SELECT s.id, s.boot, s.active, s.idle_span, s.absolute_until, s.fresh_until, s.ended_reason, s.label, s.created_at,
      s.active_at, s.token_hash, s.uses_after_end, a.disabled, a.id, a.name, a.display_name, a.role
    FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.account = ? AND s.ended_reason IS NULL
    """
  case superseded = "SELECT session FROM superseded_tokens WHERE token_hash = ?"
  case insert = """
    INSERT INTO sessions(token_hash, id, account, label, boot, active, idle_span, absolute_until, fresh_until,
      created_at, active_at, purge_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  case touch = "UPDATE sessions SET active = ?, active_at = ? WHERE token_hash = ? AND ended_reason IS NULL"
  case exchange = """
    UPDATE sessions SET token_hash = ?, active = ?, idle_span = ?, absolute_until = ?, fresh_until = ?, active_at = ?,
      purge_after = ?
    WHERE token_hash = ? AND ended_reason IS NULL
    """
  case supersede = "INSERT INTO superseded_tokens(token_hash, session) VALUES (?, ?)"
  case end = "UPDATE sessions SET ended_reason = ?, ended_at = ? WHERE token_hash = ? AND ended_reason IS NULL"
  case noteUse = "UPDATE sessions SET uses_after_end = uses_after_end + 1 WHERE token_hash = ?"
  case purge = """
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions
      WHERE purge_after < ? AND (ended_reason IS NOT NULL OR boot <> ? OR absolute_until <= ?)
      ORDER BY purge_after LIMIT 16)
    """
}
