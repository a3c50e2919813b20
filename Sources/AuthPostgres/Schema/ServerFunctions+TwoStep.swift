import AuthBackend
import AuthCore

/// The second step of a login: codes of an authenticator app, and recovery codes in their place.
///
/// The secret is drawn here, is told once, and stays here.
extension ServerSchema {
  /// How long the next use of a new password needs no code, in nanoseconds.
  static let excuse = TwoStepRules.excuse.wholeNanoseconds

  var twoStep: [ServerFunction] {
    hashing + [
      // Whether the password of an account is followed by a code.
      .inner(
        "asks_for_code", "p_account bigint", returns: "boolean",
        """
        BEGIN
          RETURN EXISTS (SELECT 1 FROM two_steps t WHERE t.account = p_account AND t.last_step IS NOT NULL);
        END
        """),
      // The first step after `p_after` at which a code is right, both now and when it was counted:
      // otherwise a guess that is judged and rolled back again and again would be right at some time.
      // Every step is tried, so that the time does not tell which one it was.
      .inner(
        "find_step", "p_secret bytea, p_code bytea, p_after bigint, p_counted_at bigint", returns: "bigint",
        """
        DECLARE
          v_first bigint := clock_ns() / \(TOTP.period * 1_000_000_000) - \(TOTP.drift);
          v_counted bigint := p_counted_at / \(TOTP.period * 1_000_000_000);
          v_found bigint;
        BEGIN
          FOR v_step IN REVERSE v_counted + \(TOTP.drift)..v_counted - \(TOTP.drift) LOOP
            IF convert_to(totp(p_secret, v_step), 'UTF8') = p_code AND v_step > p_after AND v_step >= v_first THEN
              v_found := v_step;
            END IF;
          END LOOP;
          RETURN v_found;
        END
        """),
      // Uses a code up, if it is right and `p_uses`. Whatever was sent, the same is read and
      // computed, for an account without a second step and for none, too.
      .inner(
        "use_code", "p_account bigint, p_code bytea, p_uses boolean, p_counted_at bigint", returns: "text",
        """
        DECLARE
          v_row two_steps;
          v_step bigint;
          v_is_recovery_code boolean;
          v_left bigint;
        BEGIN
          SELECT * INTO v_row FROM two_steps t WHERE t.account = p_account FOR NO KEY UPDATE;
          v_is_recovery_code := EXISTS (SELECT 1 FROM codes c WHERE c.account = p_account
            AND c.code_hash = sha256(p_code) AND c.expires_at IS NULL AND c.used_with IS NULL);
          v_step := find_step(
            coalesce(v_row.secret, substr(sha256(''), 1, \(TOTP.secretLength))), p_code, coalesce(v_row.last_step, 0),
            p_counted_at);
          IF v_row.last_step IS NULL THEN RETURN 'over'; END IF;
          IF NOT p_uses THEN RETURN 'wrong'; END IF;
          IF v_step IS NOT NULL THEN
            UPDATE two_steps SET last_step = v_step WHERE account = p_account AND last_step < v_step;
            IF FOUND THEN RETURN 'code'; END IF;
          END IF;
          IF NOT v_is_recovery_code THEN RETURN 'wrong'; END IF;
          DELETE FROM codes c WHERE c.account = p_account AND c.code_hash = sha256(p_code);
          SELECT count(*) INTO v_left FROM codes c
            WHERE c.account = p_account AND c.expires_at IS NULL AND c.used_with IS NULL;
          RETURN 'recovery code, ' || v_left || ' left';
        END
        """),
      // What a step was used with, for the detail of an event; null for what is usual.
      .inner(
        "step_words", "p_step text", returns: "text",
        """
        BEGIN
          RETURN CASE WHEN p_step LIKE 'recovery code%' THEN p_step END;
        END
        """),
      // The second step of a guess. The code must be the one that was counted, or a client could
      // try many with one guess, and roll each back.
      //
      // It returns `none` (nothing was asked or sent), `asked` (a code is missing), `over` (a code,
      // and none is asked for), `wrong`, `code`, or what `use_code` says of a recovery code.
      .inner(
        "take_step", "p_guess guesses, p_code bytea, p_uses boolean", returns: "text",
        """
        BEGIN
          IF p_code IS NULL AND p_guess.code_hash IS NULL THEN
            RETURN CASE WHEN asks_for_code(p_guess.account) THEN 'asked' ELSE 'none' END;
          END IF;
          RETURN use_code(
            p_guess.account, CASE WHEN sha256(p_code) = p_guess.code_hash THEN p_code ELSE '' END, p_uses,
            p_guess.counted_at);
        END
        """),
      .open(
        "two_step", "p_token bytea", returns: "two_step_answer",
        """
        DECLARE
          v_held held;
          v_answer two_step_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := settle(p_token, claim_early(p_token, false), false);
          \(Self.refuseUnlessActive)
          v_answer.code := 'ok';
          SELECT CASE WHEN t.last_step IS NOT NULL THEN t.since END, t.last_step IS NULL
            INTO v_answer.since, v_answer.is_pending FROM two_steps t WHERE t.account = v_held.account;
          v_answer.is_pending := coalesce(v_answer.is_pending, false);
          SELECT count(*) INTO v_answer.recovery_codes FROM codes c
            WHERE c.account = v_held.account AND c.expires_at IS NULL AND c.used_with IS NULL;
          SELECT i.two_step_required AND v_held.role = 'administrator' INTO v_answer.is_required FROM authority i;
          RETURN v_answer;
        END
        """),
      // The only answer that holds a secret, and only one that no code has confirmed.
      .open(
        "begin_two_step", "p_token bytea", returns: "secret_answer",
        """
        DECLARE
          v_held held;
          v_secret bytea := substr(sha256(
            uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
            1, \(TOTP.secretLength));
          v_answer secret_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim_early(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          INSERT INTO two_steps AS t (account, secret) VALUES (v_held.account, v_secret)
            ON CONFLICT (account) DO UPDATE SET secret = v_secret WHERE t.last_step IS NULL;
          \(Self.answer("two_step_already_on", if: "NOT FOUND"))
          v_held := settle(p_token, v_held, true);
          v_answer.code := 'ok';
          v_answer.secret := encode(v_secret, 'hex');
          v_answer.name := v_held.name;
          RETURN v_answer;
        END
        """),
      .open(
        "confirm_two_step", "p_token bytea, p_code bytea", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_row two_steps;
          v_step bigint;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_code(p_code);
          v_held := claim_early(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          -- A login that is judged at the same time comes before or after.
          PERFORM 1 FROM accounts a WHERE a.id = v_held.account FOR NO KEY UPDATE;
          SELECT * INTO v_row FROM two_steps t WHERE t.account = v_held.account FOR NO KEY UPDATE;
          \(Self.answer("two_step_not_begun", if: "NOT FOUND"))
          \(Self.answer("two_step_already_on", if: "v_row.last_step IS NOT NULL"))
          v_step := find_step(v_row.secret, p_code, 0, clock_ns());
          \(Self.answer("step_wrong", if: "v_step IS NULL"))
          v_held := settle(p_token, v_held, true);
          UPDATE two_steps SET last_step = v_step, since = clock_ns() / 1000 WHERE account = v_held.account;
          PERFORM record('\(EventName.twoStepOn.rawValue)', v_held.account, v_held.account, v_held.id, NULL);
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
      .inner(
        "check_code", "p_code bytea", returns: "void",
        """
        BEGIN
          IF p_code IS NULL OR octet_length(p_code) > 64 THEN PERFORM malformed('code'); END IF;
        END
        """),
      // The code is counted as a guess, and judged by another transaction, as passwords are.
      .open(
        "start_two_step_end", "p_ticket bytea, p_token bytea, p_code_hash bytea, p_again boolean",
        returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_setting text;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          \(Self.answer("two_step_not_on", if: "NOT asks_for_code(v_held.account)"))
          SELECT a.setting INTO v_setting FROM accounts a WHERE a.id = v_held.account;
          PERFORM check_guess(p_ticket, v_setting, p_code_hash, p_code_hash, p_again);
          \(Self.answer("hear", if: "is_counted(p_ticket, p_code_hash, p_code_hash)"))
          v_held := settle(p_token, v_held, false);
          RETURN count_guess(
            p_ticket, v_held.account, NULL, v_held.id, v_setting, p_code_hash, p_code_hash, p_again);
        END
        """),
      .open(
        "finish_two_step_end", "p_ticket bytea, p_token bytea, p_code bytea", returns: "code_answer",
        """
        DECLARE
          v_guess guesses;
          v_held held;
          v_step text;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_code(p_code);
          SELECT * INTO v_guess FROM guesses g
            WHERE g.ticket = p_ticket AND g.session IS NOT NULL AND g.code_hash = g.proof_hash FOR UPDATE;
          v_answer.now_ns := clock_ns();
          \(Self.requireTicket)
          IF v_guess.verdict IS NOT NULL THEN
            v_answer.code := CASE v_guess.verdict WHEN 'right' THEN 'ok' ELSE 'step_wrong' END;
            RETURN v_answer;
          END IF;
          PERFORM check_counted(v_guess);
          \(Self.requireSessionOfGuess("claim"))
          \(Self.refuseUnlessFresh)
          PERFORM 1 FROM accounts a WHERE a.id = v_guess.account FOR NO KEY UPDATE;
          v_held := settle(p_token, v_held, true);
          v_step := take_step(v_guess, p_code, true);
          IF v_step IN ('over', 'wrong') THEN
            PERFORM fail(v_guess, 'code', '\(EventName.twoStepFailed.rawValue)', v_guess.account);
            v_answer.code := 'step_wrong';
            RETURN v_answer;
          END IF;
          PERFORM succeed(v_guess, 'right', true);
          DELETE FROM two_steps t WHERE t.account = v_held.account;
          PERFORM record('\(EventName.twoStepOff.rawValue)', v_held.account, v_held.account, v_held.id, v_step);
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
      .open(
        "two_step_policy", "p_token bytea", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := administer(p_token, 'two-step', false);
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, false);
          v_answer.code := 'ok';
          SELECT i.two_step_required::integer INTO v_answer.number FROM authority i;
          RETURN v_answer;
        END
        """),
      .open(
        "set_two_step_policy", "p_token bytea, p_required boolean", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_required IS NULL THEN PERFORM malformed('request'); END IF;
          v_held := administer_freshly(p_token, 'two-step');
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, true);
          v_answer.code := 'ok';
          UPDATE authority i SET two_step_required = p_required WHERE i.two_step_required <> p_required;
          IF FOUND THEN
            PERFORM record('\(EventName.administered.rawValue)', v_held.account, v_held.account, v_held.id,
              CASE WHEN p_required THEN 'two-step required' ELSE 'two-step optional' END);
          END IF;
          RETURN v_answer;
        END
        """),
    ]
  }
}
