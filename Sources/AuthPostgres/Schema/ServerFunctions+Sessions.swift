import AuthBackend
import AuthCore

/// Beginning, listing, exchanging and ending sessions.
extension ServerSchema {
  var sessions: [ServerFunction] {
    [
      .inner(
        "end_session", "p_session text, p_reason text, p_actor bigint", returns: "void",
        """
        DECLARE
          v_account bigint;
        BEGIN
          UPDATE sessions SET ended_reason = p_reason, ended_at = clock_ns() / 1000, label = NULL, terminal = NULL,
              program = NULL, host = NULL
            WHERE id = p_session AND ended_reason IS NULL RETURNING account INTO v_account;
          IF NOT FOUND THEN RETURN; END IF;
          PERFORM record(
            CASE WHEN p_reason IN ('expired_idle', 'expired_absolute', 'rebooted')
              THEN '\(EventName.sessionExpired.rawValue)' ELSE '\(EventName.sessionEnded.rawValue)' END,
            v_account, p_actor, p_session, p_reason);
          PERFORM announce();
        END
        """),
      // The live sessions of an account, newest first, with the limits that keep each alive: those
      // of its present token, or else of one that was issued and not used yet.
      .inner(
        "live_sessions", "p_account bigint, p_now bigint", returns: "SETOF session_answer",
        """
        DECLARE
          v_answer session_answer;
        BEGIN
          FOR v_answer IN
            SELECT 'ok', p_now, s.id, false, s.label, s.created_at, s.active_at,
              CASE WHEN t.own THEN s.active + s.idle_span ELSE o.active + o.idle_span END,
              CASE WHEN t.own THEN s.absolute_until ELSE o.absolute_until END,
              CASE WHEN t.own THEN s.fresh_until ELSE o.fresh_until END, s.terminal, s.program, s.host
            FROM sessions s
            CROSS JOIN LATERAL (SELECT s.absolute_until > p_now AND s.active + s.idle_span > p_now AS own) t
            LEFT JOIN LATERAL (
              SELECT * FROM other_tokens o
              WHERE NOT t.own AND o.session = s.id AND o.idle_span IS NOT NULL
                AND o.absolute_until > p_now AND o.active + o.idle_span > p_now
              ORDER BY o.token_hash LIMIT 1) o ON true
            WHERE s.account = p_account AND s.ended_reason IS NULL AND (t.own OR o.token_hash IS NOT NULL)
            ORDER BY s.created_at DESC, s.id DESC
          LOOP
            RETURN NEXT v_answer;
          END LOOP;
        END
        """),
      .inner(
        "end_all", "p_account bigint, p_except text, p_reason text, p_actor bigint", returns: "bigint",
        """
        DECLARE
          v_session text;
          v_count bigint := 0;
        BEGIN
          FOR v_session IN SELECT l.session FROM live_sessions(p_account, clock_ns()) l LOOP
            IF v_session IS DISTINCT FROM p_except THEN
              PERFORM end_session(v_session, p_reason, p_actor);
              v_count := v_count + 1;
            END IF;
          END LOOP;
          RETURN v_count;
        END
        """),
      .inner(
        "span", "p_own bigint, p_wish bigint", returns: "bigint",
        """
        BEGIN
          RETURN greatest(0, least(p_own, coalesce(p_wish, p_own)));
        END
        """),
      .inner(
        "begin_session",
        """
        p_account bigint, p_token bytea, p_label text, p_idle bigint, p_absolute bigint, p_terminal text,
        p_program text, p_host text
        """,
        returns: "held",
        """
        DECLARE
          v_held held;
          v_now bigint := clock_ns();
          v_idle bigint := span(\(policy.idle.wholeNanoseconds), p_idle);
          v_absolute bigint := span(\(policy.absolute.wholeNanoseconds), p_absolute);
          v_fresh bigint := least(span(\(policy.fresh.wholeNanoseconds), NULL), v_absolute);
        BEGIN
          IF p_token IS NULL OR octet_length(p_token) <> \(Self.tokenLength) THEN PERFORM malformed('token'); END IF;
          IF octet_length(p_label) > \(Self.longestLabel) THEN PERFORM malformed('label'); END IF;
          IF greatest(octet_length(p_terminal), octet_length(p_program), octet_length(p_host)) > \(Self.longestOrigin) THEN
            PERFORM malformed('origin');
          END IF;
          DELETE FROM sessions WHERE id IN (
            SELECT s.id FROM sessions s
            WHERE s.purge_after < v_now / 1000 AND (s.ended_reason IS NOT NULL OR s.absolute_until <= v_now)
            ORDER BY s.purge_after LIMIT 16 FOR UPDATE SKIP LOCKED);
          INSERT INTO sessions(id, token_hash, account, label, active, idle_span, absolute_until, fresh_until,
              absolute_span, created_at, active_at, purge_after, terminal, program, host)
            VALUES (random_name(), sha256(p_token), p_account, p_label, v_now, v_idle, v_now + v_absolute,
              v_now + v_fresh, v_absolute, v_now / 1000, v_now / 1000,
              (v_now + v_absolute) / 1000 + \(SessionPolicy.remembered), p_terminal, p_program, p_host);
          UPDATE accounts SET noted_refusals = 0 WHERE id = p_account AND noted_refusals > 0;
          v_held := find(sha256(p_token), false);
          -- Granted, even if its limits are so short that it is over.
          v_held.code := 'live';
          RETURN v_held;
        END
        """),
      // Issues a token with new limits. The present one works until the new one is confirmed or
      // used.
      .inner(
        "issue", "p_held held, p_token bytea, p_idle bigint, p_absolute bigint", returns: "held",
        """
        DECLARE
          v_held held;
          v_now bigint := clock_ns();
          v_idle bigint := span(\(policy.idle.wholeNanoseconds), coalesce(p_idle, p_held.idle_span));
          v_absolute bigint := span(\(policy.absolute.wholeNanoseconds), coalesce(p_absolute, p_held.absolute_span));
          v_fresh bigint := least(span(\(policy.fresh.wholeNanoseconds), NULL), v_absolute);
        BEGIN
          IF p_token IS NULL OR octet_length(p_token) <> \(Self.tokenLength) THEN PERFORM malformed('token'); END IF;
          INSERT INTO other_tokens VALUES (
            sha256(p_token), p_held.id, v_now, v_idle, v_now + v_absolute, v_now + v_fresh, v_absolute, v_now / 1000,
            (v_now + v_absolute) / 1000 + \(SessionPolicy.remembered));
          v_held := find(sha256(p_token), false);
          v_held.code := 'pending';
          RETURN v_held;
        END
        """),
      .open(
        "revoke", "p_token bytea, p_reason text", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_token IS NULL OR octet_length(p_token) <> \(Self.tokenLength) THEN PERFORM malformed('token'); END IF;
          IF p_reason IS NULL OR NOT p_reason = ANY (ARRAY[\(Self.endReasons)]) THEN PERFORM malformed('reason'); END IF;
          v_held := find(sha256(p_token), true);
          IF v_held.code <> 'unknown' THEN PERFORM end_session(v_held.id, p_reason, v_held.account); END IF;
          v_answer.code := 'ok';
          v_answer.now_ns := v_held.now_ns;
          RETURN v_answer;
        END
        """),
      .open(
        "sessions", "p_token bytea", returns: "SETOF session_answer",
        """
        DECLARE
          v_held held;
          v_answer session_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := settle(p_token, claim(p_token, false), false);
          \(Self.refuseRowsUnlessLive)
          FOR v_answer IN SELECT * FROM live_sessions(v_held.account, v_held.now_ns) LOOP
            v_answer.is_current := v_answer.session = v_held.id;
            RETURN NEXT v_answer;
          END LOOP;
        END
        """),
      .open(
        "revoke_session", "p_token bytea, p_session text", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          IF NOT EXISTS (SELECT 1 FROM live_sessions(v_held.account, v_held.now_ns) l WHERE l.session = p_session) THEN
            v_answer.code := 'session_not_found';
            RETURN v_answer;
          END IF;
          v_held := settle(p_token, v_held, true);
          PERFORM end_session(p_session, 'revoked', v_held.account);
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
      .open(
        "end_all_sessions", "p_token bytea", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := settle(p_token, claim_early(p_token, true), false);
          v_answer.code := v_held.code;
          v_answer.now_ns := v_held.now_ns;
          IF v_held.code <> 'live' THEN RETURN v_answer; END IF;
          v_answer.number := end_all(v_held.account, NULL, 'user_asked', v_held.account);
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
    ]
  }
}
