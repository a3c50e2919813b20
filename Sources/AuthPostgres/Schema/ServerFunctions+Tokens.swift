import AuthBackend
import AuthCore

/// The session that a token opens, and what every function with a token begins with.
extension ServerSchema {
  var tokens: [ServerFunction] {
    [
      // The session of a token, as it is stored. Locked, it stays what it is until the transaction
      // ends: whoever changes a session or its tokens locks the session first.
      .inner(
        "find", "p_hash bytea, p_lock boolean", returns: "held",
        """
        DECLARE
          v_held held;
          v_locked text := '';
          v_disabled boolean;
          v_other other_tokens;
        BEGIN
          LOOP
            SELECT s.account, a.name, a.display_name, a.role, s.id, s.token_hash, s.active, s.idle_span,
                s.absolute_until, s.fresh_until, s.absolute_span, s.ended_reason, s.uses_after_end, a.disabled
              INTO v_held.account, v_held.name, v_held.display_name, v_held.role, v_held.id, v_held.token_hash,
                v_held.active, v_held.idle_span, v_held.absolute_until, v_held.fresh_until, v_held.absolute_span,
                v_held.marked, v_held.uses_after_end, v_disabled
              FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.token_hash = p_hash;
            v_held.code := 'live';
            IF NOT FOUND THEN
              SELECT * INTO v_other FROM other_tokens o WHERE o.token_hash = p_hash;
              SELECT s.account, a.name, a.display_name, a.role, s.id, s.token_hash, s.active, s.idle_span,
                  s.absolute_until, s.fresh_until, s.absolute_span, s.ended_reason, s.uses_after_end, a.disabled
                INTO v_held.account, v_held.name, v_held.display_name, v_held.role, v_held.id, v_held.token_hash,
                  v_held.active, v_held.idle_span, v_held.absolute_until, v_held.fresh_until, v_held.absolute_span,
                  v_held.marked, v_held.uses_after_end, v_disabled
                FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.id = v_other.session;
              IF NOT FOUND THEN
                v_held.now_ns := clock_ns();
                v_held.code := 'unknown';
                RETURN v_held;
              END IF;
              v_held.code := 'superseded';
              IF v_other.idle_span IS NOT NULL THEN
                v_held.code := 'pending';
                v_held.active := v_other.active;
                v_held.idle_span := v_other.idle_span;
                v_held.absolute_until := v_other.absolute_until;
                v_held.fresh_until := v_other.fresh_until;
              END IF;
            END IF;
            EXIT WHEN NOT p_lock OR v_locked = v_held.id;
            PERFORM 1 FROM sessions s WHERE s.id = v_held.id FOR NO KEY UPDATE;
            v_locked := v_held.id;
          END LOOP;
          v_held.now_ns := clock_ns();
          IF v_held.marked IS NULL THEN
            IF v_disabled THEN
              v_held.marked := 'account_disabled';
              v_held.uses_after_end := -1;
            ELSIF v_held.absolute_until <= v_held.now_ns THEN
              v_held.marked := 'expired_absolute';
              v_held.uses_after_end := -1;
            ELSIF v_held.active + v_held.idle_span <= v_held.now_ns THEN
              v_held.marked := 'expired_idle';
              v_held.uses_after_end := -1;
            END IF;
          END IF;
          IF v_held.marked IS NOT NULL THEN v_held.code := 'ended'; END IF;
          RETURN v_held;
        END
        """),
      // The session that a token opens, or a refusal: of a user, too, who must set up a second step
      // first.
      .inner(
        "claim", "p_token bytea, p_lock boolean", returns: "held",
        """
        DECLARE
          v_held held := claim_early(p_token, p_lock);
        BEGIN
          IF v_held.code IN ('live', 'pending') AND v_held.role = 'administrator'
            AND EXISTS (SELECT 1 FROM authority i WHERE i.two_step_required) AND NOT asks_for_code(v_held.account) THEN
            v_held.code := 'two_step_required';
          END IF;
          RETURN v_held;
        END
        """),
      // The same for what a user may do before that. A refusal leaves an event. An issued token is
      // not exchanged yet: `settle` does that where the operation succeeds.
      .inner(
        "claim_early", "p_token bytea, p_lock boolean", returns: "held",
        """
        DECLARE
          v_held held;
        BEGIN
          IF p_token IS NULL OR octet_length(p_token) <> \(Self.tokenLength) THEN PERFORM malformed('token'); END IF;
          v_held := find(sha256(p_token), p_lock);
          IF v_held.code IN ('live', 'pending') THEN RETURN v_held; END IF;
          IF v_held.code = 'unknown' THEN
            PERFORM record('\(EventName.sessionUnknown.rawValue)', NULL, NULL, NULL, NULL);
            v_held.code := 'session_revoked';
          ELSIF v_held.code = 'superseded' THEN
            PERFORM note_use(v_held.id, '\(EventName.tokenReused.rawValue)', 'superseded');
            v_held.code := 'session_superseded';
          ELSE
            IF v_held.uses_after_end < 0 THEN
              PERFORM end_session(v_held.id, v_held.marked, NULL);
            ELSE
              PERFORM note_use(v_held.id, '\(EventName.sessionUsedAfterEnd.rawValue)', v_held.marked);
            END IF;
            v_held.code := 'session_' || v_held.marked;
          END IF;
          RETURN v_held;
        END
        """),
      .inner(
        "note_use", "p_session text, p_name text, p_detail text", returns: "void",
        """
        DECLARE
          v_account bigint;
        BEGIN
          UPDATE sessions SET uses_after_end = uses_after_end + 1
            WHERE id = p_session AND uses_after_end < \(SessionPolicy.notedUsesAfterEnd) RETURNING account INTO v_account;
          IF FOUND THEN PERFORM record(p_name, v_account, NULL, p_session, p_detail); END IF;
        END
        """),
      // Lets an issued token take the place of the present one, and writes down activity. The
      // session that comes in is locked, or is locked here.
      .inner(
        "settle", "p_token bytea, p_held held, p_activity boolean", returns: "held",
        """
        DECLARE
          v_held held := p_held;
          v_hash bytea;
        BEGIN
          IF v_held.code = 'pending' THEN
            v_hash := sha256(p_token);
            v_held := find(v_hash, true);
            IF v_held.code = 'pending' THEN
              UPDATE sessions s SET token_hash = o.token_hash, active = o.active, idle_span = o.idle_span,
                  absolute_until = o.absolute_until, fresh_until = o.fresh_until, absolute_span = o.absolute_span,
                  active_at = o.active_at, purge_after = o.purge_after
                FROM other_tokens o
                WHERE o.token_hash = v_hash AND s.id = o.session AND s.ended_reason IS NULL;
              DELETE FROM other_tokens o WHERE o.token_hash = v_hash;
              UPDATE other_tokens o SET active = NULL, idle_span = NULL, absolute_until = NULL, fresh_until = NULL,
                  absolute_span = NULL, active_at = NULL, purge_after = NULL
                WHERE o.session = v_held.id AND o.idle_span IS NOT NULL;
              INSERT INTO other_tokens(token_hash, session) VALUES (v_held.token_hash, v_held.id);
              v_held := find(v_hash, true);
            END IF;
          END IF;
          IF p_activity AND v_held.code = 'live'
            AND v_held.now_ns - v_held.active >= least(\(SessionPolicy.activityStep), v_held.idle_span / 30)
          THEN
            UPDATE sessions SET active = v_held.now_ns, active_at = v_held.now_ns / 1000
              WHERE id = v_held.id AND ended_reason IS NULL;
            v_held.active := v_held.now_ns;
          END IF;
          RETURN v_held;
        END
        """),
      .inner(
        "granted", "p_held held", returns: "grant_answer",
        """
        DECLARE
          v_answer grant_answer;
        BEGIN
          v_answer.code := p_held.code;
          v_answer.now_ns := p_held.now_ns;
          IF p_held.code IN ('live', 'pending') THEN
            v_answer.code := 'ok';
            SELECT encode(a.database_id, 'hex') INTO v_answer.database_id FROM authority a;
            v_answer.session := p_held.id;
            v_answer.account := p_held.account;
            v_answer.name := p_held.name;
            v_answer.display_name := p_held.display_name;
            v_answer.role := p_held.role;
            v_answer.idle_until := p_held.active + p_held.idle_span;
            v_answer.absolute_until := p_held.absolute_until;
            v_answer.fresh_until := p_held.fresh_until;
          END IF;
          RETURN v_answer;
        END
        """),
      // The user of a token, if it is the present one of a live session. It writes nothing.
      // It takes the hash of the token, which opens nothing, because the client may be at the wrong
      // database.
      //
      // `status` calls nothing else, mostly over a new connection, which has to read and plan
      // everything that is used here. So it does not call `enter` where that would do nothing.
      .open(
        "quick", "p_token_hash bytea", returns: "grant_answer", language: "sql",
        """
        SELECT CASE WHEN s.id IS NULL THEN 'none' ELSE 'ok' END, n.now_ns, NULL::bigint, encode(i.database_id, 'hex'),
          s.id::text, a.id, a.name::text, a.display_name, a.role, s.active + s.idle_span, s.absolute_until,
          s.fresh_until
        FROM authority i CROSS JOIN (SELECT clock_ns() AS now_ns OFFSET 0) n
          LEFT JOIN (sessions s JOIN accounts a ON a.id = s.account)
            ON s.token_hash = p_token_hash AND s.ended_reason IS NULL AND NOT a.disabled
              AND s.absolute_until > n.now_ns AND s.active + s.idle_span > n.now_ns
        WHERE p_version = i.major AND current_setting('transaction_isolation') = 'read committed'
          AND current_setting('transaction_read_only') = 'off' OR enter_late(p_version)
        """),
      .open(
        "resume", "p_token bytea", returns: "grant_answer",
        """
        DECLARE
          v_held held;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim_early(p_token, false);
          RETURN granted(settle(p_token, v_held, false));
        END
        """),
      .open(
        "renew", "p_token bytea", returns: "grant_answer",
        """
        DECLARE
          v_held held;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim_early(p_token, true);
          RETURN granted(settle(p_token, v_held, true));
        END
        """),
    ]
  }

  /// Returns the refusal of a session that is not active, after a claim.
  static let refuseUnlessActive = """
    v_answer.code := v_held.code;
    v_answer.now_ns := v_held.now_ns;
    IF v_held.code NOT IN ('live', 'pending') THEN RETURN v_answer; END IF;
    """

  /// The same in a function that returns rows.
  static let refuseRowsUnlessLive = """
    IF v_held.code <> 'live' THEN
      v_answer.code := v_held.code;
      v_answer.now_ns := v_held.now_ns;
      RETURN NEXT v_answer;
      RETURN;
    END IF;
    """

  /// Returns a refusal where the password was entered too long ago.
  static let refuseUnlessFresh = answer("not_fresh", if: "v_held.fresh_until <= v_held.now_ns")

  /// Returns with this code on a condition.
  static func answer(_ code: String, if condition: String) -> String {
    "IF \(condition) THEN v_answer.code := '\(code)'; RETURN v_answer; END IF;"
  }
}
