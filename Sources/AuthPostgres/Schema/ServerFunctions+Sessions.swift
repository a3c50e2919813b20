import AuthBackend
import AuthCore
import AuthLocal

/// Finding, using, ending and exchanging sessions.
extension ServerSchema {
  var sessions: [ServerFunction] {
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
      // The session that a token opens, or a refusal, which leaves an event. An issued token is not
      // exchanged yet: `settle` does that where the operation succeeds.
      .inner(
        "claim", "p_token bytea, p_lock boolean", returns: "held",
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
            WHERE id = p_session AND uses_after_end < \(LocalAuthority.notedUsesAfterEnd) RETURNING account INTO v_account;
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
            AND v_held.now_ns - v_held.active >= least(\(LocalAuthority.activityStep), v_held.idle_span / 30)
          THEN
            UPDATE sessions SET active = v_held.now_ns, active_at = v_held.now_ns / 1000
              WHERE id = v_held.id AND ended_reason IS NULL;
            v_held.active := v_held.now_ns;
          END IF;
          RETURN v_held;
        END
        """),
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
              (v_now + v_absolute) / 1000 + \(LocalAuthority.remembered), p_terminal, p_program, p_host);
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
            (v_now + v_absolute) / 1000 + \(LocalAuthority.remembered));
          v_held := find(sha256(p_token), false);
          v_held.code := 'pending';
          RETURN v_held;
        END
        """),
      // Whom a token stands for now, if it is the present one of a live session. It writes nothing.
      // It takes the hash of the token, which opens nothing, because the client may be at the wrong
      // database.
      .open(
        "quick", "p_token_hash bytea", returns: "grant_answer",
        """
        DECLARE
          v_answer grant_answer;
        BEGIN
          PERFORM enter(p_version);
          v_answer.now_ns := clock_ns();
          SELECT CASE WHEN s.id IS NULL THEN 'none' ELSE 'ok' END, encode(i.database_id, 'hex'), s.id, a.id, a.name,
              a.display_name, a.role, s.active + s.idle_span, s.absolute_until, s.fresh_until
            INTO v_answer.code, v_answer.database_id, v_answer.session, v_answer.account, v_answer.name,
              v_answer.display_name, v_answer.role, v_answer.idle_until, v_answer.absolute_until, v_answer.fresh_until
            FROM authority i LEFT JOIN (sessions s JOIN accounts a ON a.id = s.account)
              ON s.token_hash = p_token_hash AND s.ended_reason IS NULL AND NOT a.disabled
                AND s.absolute_until > v_answer.now_ns AND s.active + s.idle_span > v_answer.now_ns;
          RETURN v_answer;
        END
        """),
      .open(
        "resume", "p_token bytea", returns: "grant_answer",
        """
        DECLARE
          v_held held;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim(p_token, false);
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
          v_held := claim(p_token, true);
          RETURN granted(settle(p_token, v_held, true));
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
          IF v_held.code <> 'live' THEN
            v_answer.code := v_held.code;
            v_answer.now_ns := v_held.now_ns;
            RETURN NEXT v_answer;
            RETURN;
          END IF;
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
          v_answer.code := v_held.code;
          v_answer.now_ns := v_held.now_ns;
          IF v_held.code NOT IN ('live', 'pending') THEN RETURN v_answer; END IF;
          IF v_held.fresh_until <= v_held.now_ns THEN
            v_answer.code := 'not_fresh';
            RETURN v_answer;
          END IF;
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
          v_held := settle(p_token, claim(p_token, true), false);
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
