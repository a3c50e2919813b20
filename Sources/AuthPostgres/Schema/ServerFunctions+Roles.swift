import AuthBackend
import AuthCore

/// Who is administrator, who may register, and how an account ends.
extension ServerSchema {
  var roles: [ServerFunction] {
    [
      // The session of an administrator whose password is recent.
      .inner(
        "administer_freshly", "p_token bytea, p_resource text", returns: "held",
        """
        DECLARE
          v_held held := administer(p_token, p_resource, true);
        BEGIN
          IF v_held.code IN ('live', 'pending') AND v_held.fresh_until <= v_held.now_ns THEN
            v_held.code := 'not_fresh';
          END IF;
          RETURN v_held;
        END
        """),
      // One at a time: two administrators who demote or delete each other at once would leave none.
      .inner(
        "is_last_administrator", "p_account accounts", returns: "boolean",
        """
        BEGIN
          IF p_account.role <> 'administrator' THEN RETURN false; END IF;
          PERFORM 1 FROM authority FOR NO KEY UPDATE;
          RETURN NOT EXISTS (SELECT 1 FROM accounts a
            WHERE a.role = 'administrator' AND a.id <> p_account.id AND NOT a.disabled);
        END
        """),
      .open(
        "set_role", "p_token bytea, p_name text, p_role text", returns: "account_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_old text;
          v_answer account_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_role IS NULL OR p_role NOT IN ('member', 'administrator') THEN PERFORM malformed('role'); END IF;
          v_held := change_account(p_token, p_name);
          \(Self.refuseUnlessActive)
          SELECT * INTO v_account FROM accounts a WHERE a.name = p_name FOR NO KEY UPDATE;
          \(Self.answer("account_not_found", if: "NOT FOUND"))
          IF v_account.role <> p_role THEN
            \(Self.answer("last_administrator", if: "is_last_administrator(v_account)"))
            v_held := settle(p_token, v_held, true);
            v_old := v_account.role;
            UPDATE accounts SET role = p_role WHERE id = v_account.id RETURNING * INTO v_account;
            PERFORM record('\(EventName.authorizationChanged.rawValue)', v_account.id, v_held.account, v_held.id,
              v_old || ' to ' || p_role);
            PERFORM announce();
          ELSE
            v_held := settle(p_token, v_held, true);
          END IF;
          RETURN summary(v_account, v_held.now_ns);
        END
        """),
      .open(
        "registration", "p_token bytea", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := administer(p_token, 'registration', false);
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, false);
          v_answer.code := 'ok';
          SELECT CASE WHEN i.registration_closed THEN 1 ELSE 0 END INTO v_answer.number FROM authority i;
          RETURN v_answer;
        END
        """),
      .open(
        "set_registration", "p_token bytea, p_closed boolean", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          IF p_closed IS NULL THEN PERFORM malformed('request'); END IF;
          v_held := administer_freshly(p_token, 'registration');
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, true);
          v_answer.code := 'ok';
          UPDATE authority i SET registration_closed = p_closed WHERE i.registration_closed <> p_closed;
          IF FOUND THEN
            PERFORM record('\(EventName.administered.rawValue)', v_held.account, v_held.account, v_held.id,
              CASE WHEN p_closed THEN 'registration closed' ELSE 'registration open' END);
          END IF;
          RETURN v_answer;
        END
        """),
      // An account for somebody else, who sets its password with the code. The verifier is one that
      // nobody knows.
      .open(
        "register_other",
        "p_token bytea, p_name text, p_display_name text, p_setting text, p_verifier bytea, p_hash bytea",
        returns: "profile_answer",
        """
        DECLARE
          v_held held;
          v_answer profile_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_code_hash(p_hash);
          v_held := administer_freshly(p_token, 'registration');
          \(Self.refuseUnlessActive)
          v_held := settle(p_token, v_held, true);
          v_answer := create_account(p_name, p_display_name, p_setting, p_verifier, v_held.account, v_held.id);
          IF v_answer.code <> 'ok' THEN RETURN v_answer; END IF;
          RETURN make_one_time_code(
            v_answer.account, p_hash, \(RecoveryPolicy.registration.wholeNanoseconds), v_held.account, v_held.id,
            'registration');
        END
        """),
      // Deletes the account of that name, for an administrator, or without a name the session's
      // own. The row stays, because payments and events refer to it; what identifies its user is
      // erased.
      .open(
        "delete_account", "p_token bytea, p_name text", returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_account accounts;
          v_answer code_answer;
          v_count bigint;
        BEGIN
          PERFORM enter(p_version);
          IF p_name IS NULL THEN
            v_held := claim(p_token, true);
            IF v_held.code IN ('live', 'pending') AND v_held.fresh_until <= v_held.now_ns THEN
              v_held.code := 'not_fresh';
            END IF;
          ELSE
            v_held := change_account(p_token, p_name);
          END IF;
          \(Self.refuseUnlessActive)
          SELECT * INTO v_account FROM accounts a
            WHERE CASE WHEN p_name IS NULL THEN a.id = v_held.account ELSE a.name = p_name END FOR NO KEY UPDATE;
          \(Self.answer("account_not_found", if: "NOT FOUND"))
          \(Self.answer("last_administrator", if: "is_last_administrator(v_account)"))
          -- A payment locks first the session of its payer and then the ledger.
          PERFORM 1 FROM sessions s WHERE s.account = v_account.id AND s.ended_reason IS NULL ORDER BY s.id FOR NO KEY UPDATE;
          SELECT l.balance INTO STRICT v_answer.number FROM ledger_accounts l WHERE l.id = v_account.id FOR NO KEY UPDATE;
          \(Self.answer("balance_not_zero", if: "v_answer.number <> 0"))
          v_held := settle(p_token, v_held, true);
          v_count := end_all(v_account.id, NULL, 'account_deleted', v_held.account);
          UPDATE sessions SET ended_reason = 'account_deleted', ended_at = clock_ns() / 1000, label = NULL,
              terminal = NULL, program = NULL, host = NULL
            WHERE account = v_account.id AND ended_reason IS NULL;
          PERFORM record('\(EventName.userDeleted.rawValue)', v_account.id, v_held.account, v_held.id, NULL);
          DELETE FROM codes c WHERE c.account = v_account.id;
          DELETE FROM two_steps t WHERE t.account = v_account.id;
          UPDATE transfers SET key = NULL, key_was_given = false WHERE payer = v_account.id AND key IS NOT NULL;
          INSERT INTO reserved_names VALUES (sha256(convert_to(v_account.name, 'UTF8')));
          UPDATE hash_costs SET accounts = accounts - 1 WHERE prefix = left(v_account.setting, 7);
          UPDATE accounts SET name = '\(DeletedAccount.namePrefix)' || id, display_name = '\(DeletedAccount.shownName)',
              role = 'member', verifier = sha256(uuid_send(gen_random_uuid())), disabled = true, guesses = 0,
              failures = 0, attempts = 0, wait_until = NULL
            WHERE id = v_account.id;
          PERFORM announce();
          v_answer.code := 'ok';
          RETURN v_answer;
        END
        """),
    ]
  }
}
