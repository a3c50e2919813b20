import AuthBackend
import AuthCore

/// Making accounts, and what each user may do with the own one.
extension ServerSchema {
  var accounts: [ServerFunction] {
    [
      .open(
        "check_name", "p_name text", returns: "code_answer",
        """
        DECLARE
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          v_answer.now_ns := clock_ns();
          v_answer.code := CASE
            WHEN EXISTS (SELECT 1 FROM authority i WHERE i.registration_closed) THEN 'registration_closed'
            WHEN EXISTS (SELECT 1 FROM accounts a WHERE a.name = p_name) OR is_reserved(p_name) THEN 'username_taken'
            ELSE 'ok' END;
          RETURN v_answer;
        END
        """),
      // Whether a deleted account had this name.
      .inner(
        "is_reserved", "p_name text", returns: "boolean",
        """
        BEGIN
          RETURN EXISTS (SELECT 1 FROM reserved_names r WHERE r.name_hash = sha256(convert_to(p_name, 'UTF8')));
        END
        """),
      .inner(
        "check_display_name", "p_display_name text", returns: "void",
        """
        BEGIN
          IF p_display_name IS NULL OR octet_length(p_display_name) NOT BETWEEN 1 AND 256
            OR p_display_name ~ '[[:cntrl:]]' THEN PERFORM malformed('display name'); END IF;
        END
        """),
      // The first account is the administrator's. The same request again, after its answer was
      // lost, is known by its setting, which holds a random salt.
      .inner(
        "create_account",
        "p_name text, p_display_name text, p_setting text, p_verifier bytea, p_actor bigint, p_session text",
        returns: "profile_answer",
        """
        DECLARE
          v_answer profile_answer;
          v_now bigint;
        BEGIN
          IF NOT coalesce(is_name(p_name), false) THEN PERFORM malformed('name'); END IF;
          PERFORM check_display_name(p_display_name);
          PERFORM check_new_verifier(p_setting, p_verifier);
          v_answer.code := 'ok';
          v_answer.name := p_name;
          v_answer.display_name := p_display_name;
          SELECT CASE WHEN a.setting = p_setting AND a.verifier = p_verifier THEN 'ok' ELSE 'username_taken' END,
              a.id, a.role, a.created_at
            INTO v_answer.code, v_answer.account, v_answer.role, v_answer.created_at
            FROM accounts a WHERE a.name = p_name;
          v_answer.now_ns := clock_ns();
          IF FOUND AND v_answer.code = 'ok' THEN
            -- A lock is a write, so this commit waits for the standby: the first one may have been kept from that.
            PERFORM 1 FROM accounts a WHERE a.name = p_name FOR KEY SHARE;
            RETURN v_answer;
          END IF;
          IF p_actor IS NULL AND EXISTS (SELECT 1 FROM authority i WHERE i.registration_closed) THEN
            v_answer.code := 'registration_closed';
            RETURN v_answer;
          END IF;
          IF v_answer.account IS NOT NULL THEN RETURN v_answer; END IF;
          v_answer.code := 'ok';
          v_answer.role := 'member';
          PERFORM 1 FROM authority i WHERE NOT i.administrator_made;
          IF FOUND THEN
            UPDATE authority i SET administrator_made = true WHERE NOT i.administrator_made;
            IF FOUND THEN v_answer.role := 'administrator'; END IF;
          END IF;
          v_now := clock_ns();
          INSERT INTO accounts(name, display_name, role, setting, verifier, created_at)
            VALUES (p_name, p_display_name, v_answer.role, p_setting, p_verifier, v_now / 1000)
            ON CONFLICT (name) DO NOTHING
            RETURNING id, created_at INTO v_answer.account, v_answer.created_at;
          \(Self.answer("username_taken", if: "NOT FOUND"))
          -- Looked at after the insert, which waited for a deletion of the same name.
          IF is_reserved(p_name) THEN
            DELETE FROM accounts WHERE id = v_answer.account;
            v_answer.code := 'username_taken';
            RETURN v_answer;
          END IF;
          PERFORM count_cost(p_setting);
          DELETE FROM unknown_names WHERE name_hash = unknown_name(p_name);
          INSERT INTO ledger_accounts VALUES (v_answer.account, 0);
          PERFORM 1 FROM ledger_accounts l WHERE l.id = 0 FOR NO KEY UPDATE;
          PERFORM move(0, v_answer.account, \(Amount.openingCredit.minorUnits), NULL, false, clock_ns() / 1000);
          PERFORM record('\(EventName.userCreated.rawValue)', v_answer.account, coalesce(p_actor, v_answer.account),
            p_session, v_answer.role);
          RETURN v_answer;
        END
        """),
      .open(
        "register", "p_name text, p_display_name text, p_setting text, p_verifier bytea", returns: "profile_answer",
        """
        BEGIN
          PERFORM enter(p_version);
          RETURN create_account(p_name, p_display_name, p_setting, p_verifier, NULL, NULL);
        END
        """),
      .inner(
        "profile_of", "p_held held", returns: "profile_answer",
        """
        DECLARE
          v_answer profile_answer;
        BEGIN
          SELECT CASE WHEN p_held.code = 'live' THEN 'ok' ELSE p_held.code END, p_held.now_ns, a.id, a.name,
              a.display_name, a.role, l.balance, a.created_at
            INTO v_answer
            FROM accounts a JOIN ledger_accounts l ON l.id = a.id WHERE a.id = p_held.account;
          IF p_held.code <> 'live' THEN
            v_answer := NULL;
            v_answer.code := p_held.code;
            v_answer.now_ns := p_held.now_ns;
          END IF;
          RETURN v_answer;
        END
        """),
      .open(
        "profile", "p_token bytea", returns: "profile_answer",
        """
        BEGIN
          PERFORM enter(p_version);
          RETURN profile_of(settle(p_token, claim(p_token, false), false));
        END
        """),
      .open(
        "rename", "p_token bytea, p_display_name text", returns: "profile_answer",
        """
        DECLARE
          v_held held;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_display_name(p_display_name);
          v_held := settle(p_token, claim(p_token, true), true);
          IF v_held.code = 'live' THEN
            UPDATE accounts SET display_name = p_display_name WHERE id = v_held.account;
            PERFORM record('\(EventName.userUpdated.rawValue)', v_held.account, v_held.account, v_held.id, NULL);
            PERFORM announce();
          END IF;
          RETURN profile_of(v_held);
        END
        """),
      // Whether the password may be changed now, and whose it is.
      .open(
        "may_change_password", "p_token bytea", returns: "setting_answer",
        """
        DECLARE
          v_held held;
          v_answer setting_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim(p_token, false);
          \(Self.refuseUnlessActive)
          \(Self.refuseUnlessFresh)
          v_held := settle(p_token, v_held, false);
          v_answer.code := 'ok';
          SELECT a.setting, a.name INTO v_answer.setting, v_answer.name FROM accounts a WHERE a.id = v_held.account;
          RETURN v_answer;
        END
        """),
      // The present password was counted as a guess by `start_reauthentication`. Of two changes at
      // once the second finds another setting than the one that its guess was counted with.
      .open(
        "finish_password_change",
        "p_ticket bytea, p_token bytea, p_proof bytea, p_new_token bytea, p_setting text, p_verifier bytea",
        returns: "grant_answer",
        Self.judging(
          "g.session IS NOT NULL", newToken: "p_new_token", declaring: "v_count bigint;",
          checking: "PERFORM check_new_verifier(p_setting, p_verifier);",
          before: """
            \(Self.requireSessionOfGuess("claim"))
            \(Self.refuseUnlessFresh)
            """,
          right: """
            -- A fresh session had a code, so none is asked for; nor for the next use of the new password.
            PERFORM succeed(v_guess, 'right', v_step <> 'asked');
            PERFORM set_verifier(v_guess.account, p_setting, p_verifier);
            UPDATE sessions SET excused_until = v_held.now_ns + \(Self.excuse) WHERE id = v_held.id;
            DELETE FROM codes c WHERE c.account = v_held.account AND c.expires_at IS NOT NULL;
            v_held := settle(p_token, v_held, false);
            v_count := end_all(v_held.account, v_held.id, 'revoked', v_held.account);
            PERFORM record('\(EventName.passwordChanged.rawValue)', v_held.account, v_held.account, v_held.id, NULL);
            RETURN granted(issue(v_held, p_new_token, NULL, NULL));
            """,
          wrong: .reauthenticationFailed, by: "v_guess.account")),
    ]
  }
}
