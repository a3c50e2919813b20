import AuthBackend
import AuthCore

/// Codes for forgotten passwords.
///
/// The client draws a code and sends its hash, so the server sees a code only when it is used.
extension ServerSchema {
  var recovery: [ServerFunction] {
    [
      .inner(
        "check_code_hash", "p_hash bytea", returns: "void",
        """
        BEGIN
          IF p_hash IS NULL OR octet_length(p_hash) <> 32 THEN PERFORM malformed('code'); END IF;
        END
        """),
      .open(
        "make_recovery_codes", "p_token bytea, p_hashes bytea", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_hashes IS NULL OR octet_length(p_hashes) <> \(32 * RecoveryPolicy.codes) THEN PERFORM malformed('codes'); END IF;
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          v_held := settle(p_token, v_held, true);
          -- The same request again, after its answer was lost, finds its codes.
          IF NOT EXISTS (SELECT 1 FROM codes c WHERE c.account = v_held.account AND c.code_hash = substr(p_hashes, 1, 32)) THEN
            DELETE FROM codes c WHERE c.account = v_held.account AND c.expires_at IS NULL;
            INSERT INTO codes(account, code_hash)
              SELECT v_held.account, substr(p_hashes, i * 32 + 1, 32)
              FROM generate_series(0, \(RecoveryPolicy.codes - 1)) i;
            PERFORM record('\(EventName.recoveryCodesMade.rawValue)', v_held.account, v_held.account, v_held.id, NULL);
          END IF;
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
      // Counts a code that opened nothing, as the throttle counts guesses; it is judged already.
      .inner(
        "count_wrong_code", "p_account bigint, p_name_hash bytea", returns: "heard",
        """
        DECLARE
          v_now bigint;
          v_account accounts;
          v_unknown unknown_names;
          v_heard heard;
        BEGIN
          IF p_account IS NOT NULL THEN
            SELECT * INTO v_account FROM accounts a WHERE a.id = p_account FOR NO KEY UPDATE;
            v_heard := count_attempt(
              clock_ns(), v_account.guesses, v_account.failures, v_account.attempts, v_account.wait_until,
              may_lock(v_account.id, v_account.role, v_account.guesses));
            UPDATE accounts SET guesses = v_heard.guesses, attempts = v_heard.attempts, wait_until = v_heard.wait_until,
                failures = failures + CASE WHEN v_heard.decision = 'hear' THEN 1 ELSE 0 END
              WHERE id = p_account;
          ELSE
            INSERT INTO unknown_names(name_hash) VALUES (p_name_hash) ON CONFLICT (name_hash) DO NOTHING;
            IF FOUND THEN
              DELETE FROM unknown_names WHERE id <= (SELECT max(u.id) FROM unknown_names u) - \(UnknownName.limit);
            END IF;
            SELECT * INTO v_unknown FROM unknown_names u WHERE u.name_hash = p_name_hash FOR NO KEY UPDATE;
            v_heard := count_attempt(
              clock_ns(), coalesce(v_unknown.guesses, 0), coalesce(v_unknown.failures, 0),
              coalesce(v_unknown.attempts, 0), v_unknown.wait_until, true);
            UPDATE unknown_names SET guesses = v_heard.guesses, attempts = v_heard.attempts,
                wait_until = v_heard.wait_until,
                failures = failures + CASE WHEN v_heard.decision = 'hear' THEN 1 ELSE 0 END
              WHERE name_hash = p_name_hash;
          END IF;
          IF v_heard.decision = 'hear' THEN
            IF p_account IS NOT NULL AND v_heard.guesses = \(ThrottlePolicy.free) THEN
              PERFORM record('\(EventName.loginFailuresThrottled.rawValue)', p_account, NULL, NULL,
                v_heard.guesses || ' failures');
            ELSIF p_account IS NOT NULL AND v_heard.guesses = \(ThrottlePolicy.lockedAt) THEN
              PERFORM record('\(EventName.loginLocked.rawValue)', p_account, NULL, NULL, v_heard.guesses || ' failures');
            END IF;
            PERFORM record('\(EventName.recoveryFailed.rawValue)', p_account, NULL, NULL, NULL);
          END IF;
          RETURN v_heard;
        END
        """),
      // A new password for a code. The same request again, after its answer was lost, is known by
      // its verifier, which is kept with the used code.
      .open(
        "recover", "p_name text, p_code bytea, p_setting text, p_verifier bytea", returns: "profile_answer",
        """
        DECLARE
          v_account accounts;
          v_code codes;
          v_found boolean;
          v_heard heard;
          v_answer profile_answer;
          v_count bigint;
        BEGIN
          PERFORM enter(p_version);
          IF p_name IS NULL THEN PERFORM malformed('name'); END IF;
          IF p_code IS NULL OR octet_length(p_code) > 8192 THEN PERFORM malformed('code'); END IF;
          PERFORM check_new_verifier(p_setting, p_verifier);
          SELECT * INTO v_account FROM accounts a WHERE a.name = p_name FOR NO KEY UPDATE;
          v_answer.now_ns := clock_ns();
          SELECT * INTO v_code FROM codes c WHERE c.account = coalesce(v_account.id, 0) AND c.code_hash = sha256(p_code);
          v_found := FOUND AND NOT v_account.disabled;
          IF v_found AND v_code.used_with IS NULL AND coalesce(v_code.expires_at > v_answer.now_ns, true) THEN
            UPDATE codes c SET used_with = p_verifier WHERE c.account = v_account.id AND c.code_hash = v_code.code_hash;
            DELETE FROM codes c WHERE c.account = v_account.id AND c.expires_at IS NOT NULL AND c.used_with IS NULL;
            UPDATE accounts SET guesses = 0, failures = 0, attempts = 0, wait_until = NULL WHERE id = v_account.id;
            PERFORM set_verifier(v_account.id, p_setting, p_verifier);
            v_count := end_all(v_account.id, NULL, 'revoked', v_account.id);
            SELECT count(*) INTO v_count FROM codes c
              WHERE c.account = v_account.id AND c.expires_at IS NULL AND c.used_with IS NULL;
            PERFORM record('\(EventName.recovered.rawValue)', v_account.id, v_account.id, NULL,
              CASE WHEN v_code.expires_at IS NULL THEN 'recovery code, ' || v_count || ' left' ELSE 'one-time code' END);
            PERFORM announce();
          ELSIF NOT v_found OR v_code.used_with IS DISTINCT FROM p_verifier OR v_account.verifier <> p_verifier THEN
            v_heard := count_wrong_code(v_account.id, unknown_name(p_name));
            v_answer.code := CASE v_heard.decision WHEN 'hear' THEN 'code_not_accepted' ELSE v_heard.decision END;
            v_answer.balance := v_heard.wait_ns;
            RETURN v_answer;
          END IF;
          v_answer.code := 'ok';
          v_answer.account := v_account.id;
          v_answer.name := v_account.name;
          v_answer.display_name := v_account.display_name;
          v_answer.role := v_account.role;
          RETURN v_answer;
        END
        """),
      .inner(
        "make_one_time_code",
        "p_account bigint, p_hash bytea, p_span bigint, p_actor bigint, p_session text, p_detail text",
        returns: "profile_answer",
        """
        DECLARE
          v_answer profile_answer;
        BEGIN
          v_answer.code := 'ok';
          v_answer.now_ns := clock_ns();
          -- The same request again, after its answer was lost, finds its code.
          IF NOT EXISTS (SELECT 1 FROM codes c WHERE c.account = p_account AND c.code_hash = p_hash) THEN
            DELETE FROM codes c WHERE c.account = p_account AND c.expires_at IS NOT NULL;
            INSERT INTO codes(account, code_hash, expires_at) VALUES (p_account, p_hash, v_answer.now_ns + p_span);
            PERFORM record('\(EventName.oneTimeCodeMade.rawValue)', p_account, p_actor, p_session, p_detail);
          END IF;
          SELECT a.id, a.name, a.display_name, a.role
            INTO v_answer.account, v_answer.name, v_answer.display_name, v_answer.role
            FROM accounts a WHERE a.id = p_account;
          RETURN v_answer;
        END
        """),
      .open(
        "reset_password", "p_token bytea, p_name text, p_hash bytea", returns: "profile_answer",
        """
        DECLARE
          v_held held;
          v_account bigint;
          v_answer profile_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_code_hash(p_hash);
          v_held := change_account(p_token, p_name);
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, true);
          SELECT a.id INTO v_account FROM accounts a WHERE a.name = p_name FOR NO KEY UPDATE;
          \(Self.answer("account_not_found", if: "NOT FOUND"))
          RETURN make_one_time_code(
            v_account, p_hash, \(RecoveryPolicy.reset.wholeNanoseconds), v_held.account, v_held.id, 'reset');
        END
        """),
      // For whoever owns the database itself. `session_user` is the role that connected, whoever
      // owns this function.
      .open(
        "reset_password_as_owner", "p_name text, p_hash bytea", returns: "profile_answer",
        """
        DECLARE
          v_account bigint;
          v_answer profile_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_code_hash(p_hash);
          v_answer.now_ns := clock_ns();
          IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_database d
            WHERE d.datname = current_database() AND pg_has_role(session_user, d.datdba, 'USAGE')) THEN
            v_answer.code := 'not_database_owner';
            RETURN v_answer;
          END IF;
          SELECT a.id INTO v_account FROM accounts a WHERE a.name = p_name FOR NO KEY UPDATE;
          \(Self.answer("account_not_found", if: "NOT FOUND"))
          RETURN make_one_time_code(
            v_account, p_hash, \(RecoveryPolicy.reset.wholeNanoseconds), NULL, NULL, 'reset by the owner of the database');
        END
        """),
    ]
  }
}
