/// The rows of sessions, in the columns that ``SessionRow`` reads.
package enum SessionSelection: String, Query {
  case byToken = "s.token_hash = $1"
  case byID = "s.id = $1"
  case ofAccount = "s.account = $1 AND s.ended_reason IS NULL ORDER BY s.created_at DESC, s.id DESC"
  /// With the origin in three more columns.
  case page = """
    s.account = $1 AND s.ended_reason IS NULL AND (s.created_at, s.id) < ($2, $3)
    ORDER BY s.created_at DESC, s.id DESC LIMIT $4
    """

  package var sql: String {
    """
    SELECT s.id, s.boot, s.active, s.idle_span, s.absolute_until, s.fresh_until, s.ended_reason, s.label, s.created_at,
      s.active_at, s.token_hash, s.uses_after_end, a.disabled, a.id, a.name, a.display_name, a.role, s.absolute_span
      \(self == .page ? ", s.terminal, s.program, s.host" : "")
    FROM sessions s JOIN accounts a ON a.id = s.account WHERE \(rawValue)
    """
  }
}

/// The other statements about sessions.
///
/// `ended_reason IS NULL` makes the index of live sessions possible. Where one session is meant,
/// the condition is written in another way, so that no plan walks the sessions of all accounts.
package enum SessionQuery: String, Query {
  case otherToken = """
    SELECT session, active, idle_span, absolute_until, fresh_until FROM other_tokens WHERE token_hash = $1
    """
  case issued = """
    SELECT session, active, idle_span, absolute_until, fresh_until FROM other_tokens
    WHERE session = $1 AND idle_span IS NOT NULL
    """
  case issuedOfAccount = """
    SELECT o.session, o.active, o.idle_span, o.absolute_until, o.fresh_until
    FROM sessions s JOIN other_tokens o ON o.session = s.id
    WHERE s.account = $1 AND s.ended_reason IS NULL AND o.idle_span IS NOT NULL
    """
  case insert = """
    INSERT INTO sessions(token_hash, id, account, label, boot, active, idle_span, absolute_until, fresh_until,
      created_at, active_at, purge_after, absolute_span, terminal, program, host)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    """
  case touch = """
    UPDATE sessions SET active = $1, active_at = $2 WHERE token_hash = $3 AND coalesce(ended_reason, '') = ''
    """
  case issue = """
    INSERT INTO other_tokens(token_hash, session, number, active, idle_span, absolute_until, fresh_until, active_at,
      purge_after, absolute_span)
    VALUES ($1, $2, (SELECT coalesce(max(number), 0) + 1 FROM other_tokens WHERE session = $2), $3, $4, $5, $6, $7, $8,
      $9)
    """
  case promote = """
    UPDATE sessions SET token_hash = o.token_hash, active = o.active, idle_span = o.idle_span,
      absolute_until = o.absolute_until, fresh_until = o.fresh_until, active_at = o.active_at,
      purge_after = o.purge_after, absolute_span = o.absolute_span
    FROM other_tokens o WHERE o.token_hash = $1 AND sessions.id = o.session AND coalesce(sessions.ended_reason, '') = ''
    """
  case leaveOthers = "DELETE FROM other_tokens WHERE token_hash = $1"
  case supersedeOthers = """
    UPDATE other_tokens SET active = NULL, idle_span = NULL, absolute_until = NULL, fresh_until = NULL,
      active_at = NULL, purge_after = NULL WHERE session = $1 AND idle_span IS NOT NULL
    """
  case supersede = """
    INSERT INTO other_tokens(token_hash, session, number)
    VALUES ($1, $2, (SELECT coalesce(max(number), 0) + 1 FROM other_tokens WHERE session = $2))
    """
  /// Deletes all but the newest other tokens of a session.
  case trimOthers = """
    DELETE FROM other_tokens
    WHERE session = $1 AND number <= (SELECT max(number) FROM other_tokens WHERE session = $1) - $2
    """
  /// The oldest sessions of an account that are not marked as ended, without one of them and as
  /// many of the newest others.
  case surplus = """
    SELECT token_hash FROM sessions WHERE account = $1 AND ended_reason IS NULL AND id <> $2
    ORDER BY created_at DESC, id DESC LIMIT 16 OFFSET $3
    """
  /// Whether an account has more ended sessions than that.
  case hasEndedSurplus = """
    SELECT 1 FROM sessions WHERE account = $1 AND ended_reason IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET $2
    """
  case deleteEndedSurplus = """
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions WHERE account = $1 AND ended_reason IS NOT NULL
      ORDER BY ended_at DESC LIMIT 16 OFFSET $2)
    """
  /// Erases the origin when the session ends.
  case end = """
    UPDATE sessions SET ended_reason = $1, ended_at = $2, label = NULL, terminal = NULL, program = NULL, host = NULL
    WHERE token_hash = $3 AND coalesce(ended_reason, '') = ''
    """
  case noteUse = "UPDATE sessions SET uses_after_end = uses_after_end + 1 WHERE token_hash = $1"
  case isAnyOld = "SELECT 1 FROM sessions WHERE purge_after < $1 LIMIT 1"
  case purge = """
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions
      WHERE purge_after < $1 AND (ended_reason IS NOT NULL OR boot <> $2 OR absolute_until <= $3)
      ORDER BY purge_after LIMIT 16)
    """
}
