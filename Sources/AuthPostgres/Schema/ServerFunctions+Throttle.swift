import AuthBackend
import AuthCore

/// Made-up settings, and the count of attempts.
///
/// The server never sees a password. It tells the setting of a name; the client hashes with it, and
/// sends the result as proof, of which the server keeps a hash.
extension ServerSchema {
  var throttle: [ServerFunction] {
    [
      // An unknown name has a setting, too: always the same one, of a cost that some accounts have,
      // and in the same proportion. Where accounts move to a higher cost, so do the unknown names.
      .inner(
        "made_up_setting", "p_name_hash bytea", returns: "text",
        """
        DECLARE
          v_prefix text;
          v_salt text;
        BEGIN
          SELECT d.prefix INTO v_prefix FROM (
            SELECT c.prefix, sum(c.accounts) OVER (ORDER BY c.prefix) AS upto, sum(c.accounts) OVER () AS total
            FROM hash_costs c) d
          WHERE d.upto * 4294967296 > d.total * (
            SELECT get_byte(h, 0)::bigint * 16777216 + get_byte(h, 1) * 65536 + get_byte(h, 2) * 256 + get_byte(h, 3)
            FROM (SELECT sha256(a.secret || 'cost'::bytea || p_name_hash) AS h FROM authority a) s)
          ORDER BY d.prefix LIMIT 1;
          v_prefix := coalesce(v_prefix, '\(PasswordCost.standard.prefix)');
          SELECT string_agg(substr('\(PasswordHasher.alphabet)',
              (get_byte(s.h, i) & CASE i WHEN 21 THEN 3 ELSE 63 END) + 1, 1), '' ORDER BY i)
            INTO v_salt
            FROM (SELECT sha256(a.secret || convert_to('salt' || v_prefix, 'UTF8') || p_name_hash) AS h
                  FROM authority a) s, generate_series(0, 21) i;
          RETURN v_prefix || v_salt;
        END
        """),
      .open(
        "setting", "p_name text, p_name_hash bytea", returns: "setting_answer",
        """
        DECLARE
          v_answer setting_answer;
          v_made_up text;
        BEGIN
          PERFORM enter(p_version);
          v_answer.now_ns := clock_ns();
          v_answer.code := 'ok';
          -- Made up for every name, so that both kinds cost the same. The hash that older clients send for
          -- what is no name is not used: all of that is one name.
          v_made_up := made_up_setting(coalesce(sha256(convert_to(p_name, 'UTF8')), ''));
          SELECT a.setting INTO v_answer.setting FROM accounts a WHERE a.name = p_name;
          v_answer.setting := coalesce(v_answer.setting, v_made_up);
          RETURN v_answer;
        END
        """),
      .inner(
        "is_name", "p_name text", returns: "boolean",
        """
        BEGIN
          RETURN octet_length(p_name) <= 64 AND p_name ~ '^[a-z0-9][a-z0-9._-]*$';
        END
        """),
      // What attempts on a name without an account are counted under. People type passwords in place
      // of names: what is no name is not kept, and a name only as a hash with a key.
      .inner(
        "unknown_name", "p_name text", returns: "bytea",
        """
        BEGIN
          RETURN (SELECT sha256(i.secret || convert_to(CASE WHEN is_name(p_name) THEN 'name' || p_name ELSE 'none' END, 'UTF8'))
            FROM authority i);
        END
        """),
      .inner(
        "wait_after", "p_guesses bigint", returns: "bigint",
        """
        BEGIN
          IF p_guesses < \(ThrottlePolicy.free) THEN RETURN NULL; END IF;
          RETURN least(
            \(ThrottlePolicy.firstWait.wholeNanoseconds) * (1::bigint << least(p_guesses - \(ThrottlePolicy.free), 7)::integer),
            \(ThrottlePolicy.longestWait.wholeNanoseconds));
        END
        """),
      .inner(
        "may_lock", "p_account bigint, p_role text, p_guesses bigint", returns: "boolean",
        """
        BEGIN
          RETURN p_guesses < \(ThrottlePolicy.lockedAt) OR p_role <> 'administrator' OR EXISTS (
            SELECT 1 FROM accounts a WHERE a.role = 'administrator' AND a.id <> p_account AND NOT a.disabled
              AND a.guesses < \(ThrottlePolicy.lockedAt));
        END
        """),
      .inner(
        "count_attempt",
        """
        p_now bigint, p_guesses bigint, p_failures bigint, p_attempts bigint, p_wait_until bigint, p_may_lock boolean
        """,
        returns: "heard",
        """
        DECLARE
          v_full bigint := wait_after(p_guesses);
          v_left bigint := p_wait_until - p_now;
          v_heard heard;
        BEGIN
          v_heard.guesses := p_guesses;
          v_heard.attempts := p_attempts + 1;
          v_heard.wait_until := p_wait_until;
          IF p_guesses >= \(ThrottlePolicy.lockedAt) AND p_may_lock THEN
            v_heard.decision := 'locked';
          ELSIF v_left > 0 AND v_full IS NOT NULL THEN
            v_heard.wait_ns := v_left;
            v_heard.decision := CASE
              WHEN p_guesses > p_failures AND v_full - v_left < \(ThrottlePolicy.longestLook.wholeNanoseconds) THEN 'retry'
              ELSE 'wait' END;
          ELSE
            v_heard.decision := 'hear';
            v_heard.guesses := p_guesses + 1;
            v_heard.wait_until := p_now + wait_after(p_guesses + 1);
          END IF;
          RETURN v_heard;
        END
        """),
      // Counts a guess and stores it. Nothing is judged here, and the guess is judged only by
      // another transaction: a client that rolls back what it wrapped around this has no ticket to
      // judge.
      //
      // `p_again`: the attempt was counted and told to retry; it is counted once more only when it
      // is heard.
      .inner(
        "count_guess",
        """
        p_ticket bytea, p_account bigint, p_name text, p_session text, p_setting text, p_proof_hash bytea,
        p_code_hash bytea, p_again boolean
        """,
        returns: "code_answer",
        """
        DECLARE
          v_account accounts;
          v_unknown unknown_names;
          v_heard heard;
          v_answer code_answer;
          v_setting text;
          v_name_hash bytea;
        BEGIN
          DELETE FROM guesses WHERE ticket IN (
            SELECT g.ticket FROM guesses g WHERE g.counted_at < clock_ns() - \(Self.ticketLife)
            ORDER BY g.counted_at LIMIT 16 FOR UPDATE SKIP LOCKED);
          IF p_account IS NOT NULL THEN
            SELECT * INTO v_account FROM accounts a WHERE a.id = p_account FOR NO KEY UPDATE;
            v_setting := v_account.setting;
          ELSE
            v_setting := made_up_setting(coalesce(sha256(convert_to(p_name, 'UTF8')), ''));
            v_name_hash := unknown_name(p_name);
          END IF;
          v_answer.now_ns := clock_ns();
          \(Self.answer("setting_changed", if: "v_setting <> p_setting"))
          IF p_account IS NOT NULL THEN
            v_heard := count_attempt(
              v_answer.now_ns, v_account.guesses, v_account.failures, v_account.attempts, v_account.wait_until,
              may_lock(v_account.id, v_account.role, v_account.guesses));
          ELSE
            INSERT INTO unknown_names(name_hash) VALUES (v_name_hash) ON CONFLICT (name_hash) DO NOTHING;
            IF FOUND THEN
              DELETE FROM unknown_names WHERE id <= (SELECT max(u.id) FROM unknown_names u) - \(UnknownName.limit);
            END IF;
            SELECT * INTO v_unknown FROM unknown_names u WHERE u.name_hash = v_name_hash FOR NO KEY UPDATE;
            v_answer.now_ns := clock_ns();
            v_heard := count_attempt(
              v_answer.now_ns, coalesce(v_unknown.guesses, 0), coalesce(v_unknown.failures, 0),
              coalesce(v_unknown.attempts, 0), v_unknown.wait_until, true);
          END IF;
          v_answer.code := v_heard.decision;
          v_answer.number := v_heard.wait_ns;
          IF p_again AND v_heard.decision <> 'hear' THEN RETURN v_answer; END IF;
          IF p_account IS NOT NULL THEN
            UPDATE accounts SET guesses = v_heard.guesses, attempts = v_heard.attempts, wait_until = v_heard.wait_until
              WHERE id = p_account;
          ELSE
            UPDATE unknown_names SET guesses = v_heard.guesses, attempts = v_heard.attempts,
              wait_until = v_heard.wait_until WHERE name_hash = v_name_hash;
          END IF;
          IF v_heard.decision = 'hear' THEN
            INSERT INTO guesses(ticket, account, name_hash, session, setting, proof_hash, code_hash, number, counted_by,
                counted_at)
              VALUES (p_ticket, p_account, v_name_hash, p_session, p_setting, p_proof_hash, p_code_hash, v_heard.guesses,
                pg_current_xact_id(), v_answer.now_ns);
          END IF;
          RETURN v_answer;
        END
        """),
      .inner(
        "check_counted", "p_guess guesses", returns: "void",
        """
        BEGIN
          IF p_guess.counted_by = pg_current_xact_id() THEN
            RAISE EXCEPTION 'a guess is judged by another transaction than the one that counted it'
              USING ERRCODE = '\(ServerState.sameTransaction)';
          END IF;
        END
        """),
      // The guess of a ticket, locked, and whether it is right. Null account: nobody could be
      // right.
      .inner(
        "judge", "p_guess guesses, p_proof bytea", returns: "text",
        """
        DECLARE
          v_account accounts;
        BEGIN
          PERFORM check_counted(p_guess);
          IF p_guess.account IS NULL THEN RETURN 'wrong'; END IF;
          SELECT * INTO v_account FROM accounts a WHERE a.id = p_guess.account FOR NO KEY UPDATE;
          IF v_account.setting <> p_guess.setting THEN RETURN 'setting_changed'; END IF;
          IF sha256(p_proof) = p_guess.proof_hash AND v_account.verifier = p_guess.proof_hash
            AND NOT v_account.disabled THEN
            RETURN 'right';
          END IF;
          RETURN 'wrong';
        END
        """),
      // Takes a guess out of the count again, which was right. No other one ever is: whoever sent it may
      // have heard the verdict in a transaction that was rolled back.
      .inner(
        "uncount", "p_account bigint", returns: "void",
        """
        BEGIN
          UPDATE accounts SET guesses = guesses - 1, attempts = attempts - 1, wait_until = NULL
            WHERE id = p_account AND failures < guesses;
        END
        """),
      .inner(
        "fail", "p_guess guesses, p_verdict text, p_event text, p_actor bigint", returns: "void",
        """
        BEGIN
          UPDATE guesses SET verdict = p_verdict WHERE ticket = p_guess.ticket;
          IF p_guess.account IS NULL THEN
            UPDATE unknown_names SET failures = failures + 1
              WHERE name_hash = p_guess.name_hash AND failures < guesses;
          ELSE
            -- None when another success has ended the row of failures meanwhile.
            UPDATE accounts SET failures = failures + 1 WHERE id = p_guess.account AND failures < guesses;
            IF FOUND AND p_guess.number = \(ThrottlePolicy.free) THEN
              PERFORM record('\(EventName.loginFailuresThrottled.rawValue)', p_guess.account, NULL, NULL,
                p_guess.number || ' failures');
            ELSIF FOUND AND p_guess.number = \(ThrottlePolicy.lockedAt) THEN
              PERFORM record('\(EventName.loginLocked.rawValue)', p_guess.account, NULL, NULL,
                p_guess.number || ' failures');
            END IF;
          END IF;
          PERFORM record(p_event, p_guess.account, p_actor, NULL, NULL);
        END
        """),
      // Ends a row of failures.
      //
      // Where a code is asked for, the right password alone ends no row: otherwise whoever has it
      // could try codes for ever.
      .inner(
        "succeed", "p_guess guesses, p_verdict text, p_ends_row boolean", returns: "void",
        """
        BEGIN
          UPDATE guesses SET verdict = p_verdict WHERE ticket = p_guess.ticket;
          IF p_ends_row THEN
            UPDATE accounts SET guesses = 0, failures = 0, attempts = 0, wait_until = NULL WHERE id = p_guess.account;
          ELSE
            PERFORM uncount(p_guess.account);
          END IF;
        END
        """),
      // Takes a hash of higher cost after a whole login, if the client brings one. The server cannot
      // tell that it is of the same password, so nothing else takes one, and an event says so.
      .inner(
        "take_better_hash", "p_account bigint, p_setting text, p_verifier bytea, p_session text", returns: "void",
        """
        BEGIN
          IF p_setting IS NULL THEN RETURN; END IF;
          PERFORM check_new_verifier(p_setting, p_verifier);
          IF cost_of(p_setting) > (SELECT cost_of(a.setting) FROM accounts a WHERE a.id = p_account) THEN
            PERFORM set_verifier(p_account, p_setting, p_verifier);
            PERFORM record('\(EventName.passwordRehashed.rawValue)', p_account, p_account, p_session, NULL);
          END IF;
        END
        """),
      .inner(
        "check_verifier", "p_setting text, p_verifier bytea", returns: "void",
        """
        BEGIN
          IF p_setting IS NULL OR p_setting !~ '^[$]y[$]j[./0-9A-Za-z]{2}[$][./0-9A-Za-z]{21}[./01]$' THEN
            PERFORM malformed('setting');
          END IF;
          IF p_verifier IS NULL OR octet_length(p_verifier) <> 32 THEN PERFORM malformed('verifier'); END IF;
        END
        """),
      // The cost of a setting; 0 for one that no version makes.
      .inner(
        "cost_of", "p_setting text", returns: "integer",
        """
        BEGIN
          RETURN coalesce(array_position(
            ARRAY[\(PasswordCost.all.map { "'\($0.prefix)'" }.joined(separator: ", "))], left(p_setting, 7)), 0);
        END
        """),
      // A new hash must have a cost that we make: clients hash at it, for the names without an account,
      // too.
      .inner(
        "check_new_verifier", "p_setting text, p_verifier bytea", returns: "void",
        """
        BEGIN
          PERFORM check_verifier(p_setting, p_verifier);
          IF cost_of(p_setting) NOT BETWEEN \(costs.lowerBound.count) AND \(costs.upperBound.count) THEN
            PERFORM malformed('cost');
          END IF;
        END
        """),
      .inner(
        "set_verifier", "p_account bigint, p_setting text, p_verifier bytea", returns: "void",
        """
        DECLARE
          v_old text;
        BEGIN
          PERFORM check_new_verifier(p_setting, p_verifier);
          SELECT a.setting INTO v_old FROM accounts a WHERE a.id = p_account FOR NO KEY UPDATE;
          UPDATE accounts SET setting = p_setting, verifier = p_verifier WHERE id = p_account;
          IF left(v_old, 7) <> left(p_setting, 7) THEN
            UPDATE hash_costs SET accounts = accounts - 1 WHERE prefix = left(v_old, 7);
            PERFORM count_cost(p_setting);
          END IF;
        END
        """),
      .inner(
        "count_cost", "p_setting text", returns: "void",
        """
        BEGIN
          INSERT INTO hash_costs AS c VALUES (left(p_setting, 7), 1)
            ON CONFLICT (prefix) DO UPDATE SET accounts = c.accounts + 1;
        END
        """),
    ]
  }
}
