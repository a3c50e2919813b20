import AuthBackend
import AuthCore

/// Events, and what an administrator may do: the role is checked here, where no client can go
/// around it.
extension ServerSchema {
  var administration: [ServerFunction] {
    [
      // The session of an administrator. A refusal for want of the role leaves an event.
      .inner(
        "administer", "p_token bytea, p_resource text, p_lock boolean", returns: "held",
        """
        DECLARE
          v_held held := claim(p_token, p_lock);
        BEGIN
          IF v_held.code IN ('live', 'pending') AND v_held.role <> 'administrator' THEN
            v_held := settle(p_token, v_held, false);
            PERFORM note_refusal('\(EventName.authorizationFailed.rawValue)', v_held.account, v_held.account, v_held.id, p_resource);
            v_held.code := 'not_permitted';
          END IF;
          RETURN v_held;
        END
        """),
      .open(
        "events", "p_token bytea, p_everyone boolean, p_since bigint, p_until bigint, p_before bigint, p_limit bigint",
        returns: "SETOF event_answer",
        """
        DECLARE
          v_held held;
          v_answer event_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_everyone IS NULL THEN PERFORM malformed('scope'); END IF;
          v_held := CASE WHEN p_everyone THEN administer(p_token, 'events', false) ELSE claim(p_token, false) END;
          IF v_held.code = 'pending' THEN v_held := settle(p_token, v_held, false); END IF;
          \(Self.refuseRowsUnlessLive)
          -- The times are those that are shown. The number of an event is never less than its time.
          IF p_everyone THEN
            RETURN QUERY
              SELECT 'ok', v_held.now_ns, e.id, e.at, e.name, a.name::text, b.name::text, e.session, e.detail
              FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
              WHERE e.id >= coalesce(p_since, \(Int64.min)) AND e.id < coalesce(p_before, \(Int64.max))
                AND e.at >= coalesce(p_since, \(Int64.min)) AND e.at < coalesce(p_until, \(Int64.max))
              ORDER BY e.id DESC LIMIT greatest(0, p_limit);
          ELSE
            RETURN QUERY
              SELECT 'ok', v_held.now_ns, e.id, e.at, e.name, a.name::text, b.name::text, e.session, e.detail
              FROM events e LEFT JOIN accounts a ON a.id = e.account LEFT JOIN accounts b ON b.id = e.actor
              WHERE e.account = v_held.account
                AND e.id >= coalesce(p_since, \(Int64.min)) AND e.id < coalesce(p_before, \(Int64.max))
                AND e.at >= coalesce(p_since, \(Int64.min)) AND e.at < coalesce(p_until, \(Int64.max))
              ORDER BY e.id DESC LIMIT greatest(0, p_limit);
          END IF;
        END
        """),
      .inner(
        "summary", "p_account accounts, p_now bigint", returns: "account_answer",
        """
        DECLARE
          v_heard heard := count_attempt(
            p_now, p_account.guesses, p_account.failures, p_account.attempts, p_account.wait_until,
            may_lock(p_account.id, p_account.role, p_account.guesses));
          v_answer account_answer;
        BEGIN
          v_answer.code := 'ok';
          v_answer.now_ns := p_now;
          v_answer.account := p_account.id;
          v_answer.name := p_account.name;
          v_answer.display_name := p_account.display_name;
          v_answer.role := p_account.role;
          v_answer.disabled := p_account.disabled;
          v_answer.created_at := p_account.created_at;
          v_answer.attempts := p_account.attempts;
          v_answer.throttle := v_heard.decision;
          v_answer.wait_ns := v_heard.wait_ns;
          v_answer.two_step := asks_for_code(p_account.id);
          RETURN v_answer;
        END
        """),
      .open(
        "accounts", "p_token bytea, p_after text, p_limit bigint", returns: "SETOF account_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_answer account_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := administer(p_token, 'accounts', false);
          IF v_held.code = 'pending' THEN v_held := settle(p_token, v_held, false); END IF;
          \(Self.refuseRowsUnlessLive)
          FOR v_account IN
            SELECT * FROM accounts a WHERE a.name > coalesce(p_after, '') ORDER BY a.name LIMIT greatest(0, p_limit)
          LOOP
            RETURN NEXT summary(v_account, v_held.now_ns);
          END LOOP;
        END
        """),
      .open(
        "account", "p_token bytea, p_name text", returns: "account_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_answer account_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := administer(p_token, 'accounts', false);
          \(Self.refuseUnlessActive)
          SELECT * INTO v_account FROM accounts a WHERE a.name = p_name;
          \(Self.answer("account_not_found", if: "NOT FOUND"))
          v_held := settle(p_token, v_held, false);
          RETURN summary(v_account, v_held.now_ns);
        END
        """),
      // What changing an account begins with: role, freshness, and that there is one of this name.
      .inner(
        "change_account", "p_token bytea, p_name text", returns: "held",
        """
        DECLARE
          v_held held := administer(p_token, 'accounts', true);
        BEGIN
          IF v_held.code IN ('live', 'pending') THEN
            IF v_held.fresh_until <= v_held.now_ns THEN
              v_held.code := 'not_fresh';
            ELSIF NOT EXISTS (SELECT 1 FROM accounts a WHERE a.name = p_name) THEN
              v_held.code := 'account_not_found';
            END IF;
          END IF;
          RETURN v_held;
        END
        """),
      .open(
        "set_disabled", "p_token bytea, p_name text, p_disabled boolean", returns: "account_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_answer account_answer;
          v_count bigint;
        BEGIN
          PERFORM enter(p_version);
          IF p_disabled IS NULL THEN PERFORM malformed('request'); END IF;
          v_held := change_account(p_token, p_name);
          \(Self.refuseUnlessActive)
          SELECT * INTO v_account FROM accounts a WHERE a.name = p_name FOR NO KEY UPDATE;
          IF v_account.disabled <> p_disabled THEN
            \(Self.answer("last_administrator", if: "p_disabled AND is_last_administrator(v_account)"))
            v_held := settle(p_token, v_held, true);
            -- Ended first, so that each leaves the event of a session that was live.
            IF p_disabled THEN
              v_count := end_all(v_account.id, NULL, 'account_disabled', v_held.account);
            END IF;
            UPDATE accounts SET disabled = p_disabled WHERE id = v_account.id RETURNING * INTO v_account;
            PERFORM record(
              CASE WHEN p_disabled THEN '\(EventName.userDisabled.rawValue)' ELSE '\(EventName.userEnabled.rawValue)' END,
              v_account.id, v_held.account, v_held.id, NULL);
            PERFORM announce();
          ELSE
            v_held := settle(p_token, v_held, true);
          END IF;
          RETURN summary(v_account, v_held.now_ns);
        END
        """),
      .open(
        "unlock", "p_token bytea, p_name text", returns: "account_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_answer account_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := change_account(p_token, p_name);
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, true);
          UPDATE accounts SET guesses = 0, failures = 0, attempts = 0, wait_until = NULL
            WHERE name = p_name RETURNING * INTO v_account;
          PERFORM record('\(EventName.loginUnlocked.rawValue)', v_account.id, v_held.account, v_held.id, NULL);
          PERFORM announce();
          RETURN summary(v_account, v_held.now_ns);
        END
        """),
      // Writes down that an administrator looked at accounts.
      .open(
        "note_view", "p_token bytea, p_subject text", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_subject IS NULL OR octet_length(p_subject) > 1024 THEN PERFORM malformed('subject'); END IF;
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.answer("not_permitted", if: "v_held.role <> 'administrator'"))
          v_held := settle(p_token, v_held, true);
          PERFORM record('\(EventName.sensitiveRead.rawValue)', v_held.account, v_held.account, v_held.id, p_subject);
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
    ]
  }
}
