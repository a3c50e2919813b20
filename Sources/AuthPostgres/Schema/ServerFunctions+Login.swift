import AuthBackend
import AuthCore

/// Logging in and entering the password again, each in two calls: count, then judge.
///
/// A client that lost an answer repeats the call with the same ticket and the same token, and gets
/// the same session.
extension ServerSchema {
  var login: [ServerFunction] {
    [
      .open(
        "start_login",
        """
        p_ticket bytea, p_name text, p_name_hash bytea, p_setting text, p_proof_hash bytea, p_code_hash bytea,
        p_again boolean
        """,
        returns: "code_answer",
        """
        DECLARE
          v_account bigint;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_guess(p_ticket, p_setting, p_proof_hash, p_code_hash, p_again);
          IF is_counted(p_ticket, p_proof_hash, p_code_hash) THEN
            v_answer.code := 'hear';
            v_answer.now_ns := clock_ns();
            RETURN v_answer;
          END IF;
          SELECT a.id INTO v_account FROM accounts a WHERE a.name = p_name;
          RETURN count_guess(
            p_ticket, v_account, p_name, NULL, p_setting, p_proof_hash, p_code_hash, p_again);
        END
        """),
      .inner(
        "check_guess", "p_ticket bytea, p_setting text, p_proof_hash bytea, p_code_hash bytea, p_again boolean",
        returns: "void",
        """
        BEGIN
          IF p_ticket IS NULL OR octet_length(p_ticket) <> 16 THEN PERFORM malformed('ticket'); END IF;
          IF p_again IS NULL THEN PERFORM malformed('request'); END IF;
          PERFORM check_verifier(p_setting, p_proof_hash);
          IF octet_length(p_code_hash) <> 32 THEN PERFORM malformed('code'); END IF;
        END
        """),
      // Whether it was counted already, and the answer was lost.
      .inner(
        "is_counted", "p_ticket bytea, p_proof_hash bytea, p_code_hash bytea", returns: "boolean",
        """
        BEGIN
          RETURN EXISTS (SELECT 1 FROM guesses g WHERE g.ticket = p_ticket AND g.proof_hash = p_proof_hash
            AND g.code_hash IS NOT DISTINCT FROM p_code_hash);
        END
        """),
      .open(
        "finish_login",
        """
        p_ticket bytea, p_proof bytea, p_token bytea, p_label text, p_idle bigint, p_absolute bigint,
        p_new_setting text, p_new_verifier bytea, p_terminal text, p_program text, p_host text, p_code bytea
        """,
        returns: "grant_answer",
        Self.judging(
          "g.session IS NULL", newToken: "p_token", code: "p_code", declaring: "v_failures bigint;",
          right: """
            \(Self.askForCode(actor: "NULL", session: "NULL"))
            SELECT a.failures INTO v_failures FROM accounts a WHERE a.id = v_guess.account;
            PERFORM succeed(v_guess, 'right', true);
            v_held := begin_session(
              v_guess.account, p_token, p_label, p_idle, p_absolute, p_terminal, p_program, p_host);
            PERFORM record(
              CASE WHEN v_failures > 0 THEN '\(EventName.loginSucceededAfterFailures.rawValue)'
                ELSE '\(EventName.loginSucceeded.rawValue)' END,
              v_guess.account, v_guess.account, v_held.id,
              nullif(concat_ws(', ',
                CASE WHEN v_failures = 1 THEN '1 failure' WHEN v_failures > 1 THEN v_failures || ' failures' END,
                step_words(v_step)), ''));
            PERFORM take_better_hash(v_guess.account, p_new_setting, p_new_verifier, v_held.id);
            RETURN granted(v_held);
            """,
          wrong: .loginFailed, by: "NULL")),
      .open(
        "own_setting", "p_token bytea", returns: "setting_answer",
        """
        DECLARE
          v_held held;
          v_answer setting_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := claim_early(p_token, false);
          \(Self.refuseUnlessActive)
          v_answer.code := 'ok';
          SELECT a.setting, a.name INTO v_answer.setting, v_answer.name FROM accounts a WHERE a.id = v_held.account;
          RETURN v_answer;
        END
        """),
      .open(
        "start_reauthentication",
        "p_ticket bytea, p_token bytea, p_setting text, p_proof_hash bytea, p_code_hash bytea, p_again boolean",
        returns: "code_answer",
        """
        DECLARE
          v_held held;
          v_answer code_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_guess(p_ticket, p_setting, p_proof_hash, p_code_hash, p_again);
          v_held := claim_early(p_token, true);
          \(Self.refuseUnlessActive)
          \(Self.answer("hear", if: "is_counted(p_ticket, p_proof_hash, p_code_hash)"))
          v_held := settle(p_token, v_held, false);
          RETURN count_guess(
            p_ticket, v_held.account, NULL, v_held.id, p_setting, p_proof_hash, p_code_hash, p_again);
        END
        """),
      .open(
        "finish_reauthentication",
        """
        p_ticket bytea, p_token bytea, p_proof bytea, p_new_token bytea, p_idle bigint, p_absolute bigint,
        p_new_setting text, p_new_verifier bytea, p_code bytea
        """,
        returns: "grant_answer",
        Self.judging(
          "g.session IS NOT NULL", newToken: "p_new_token", code: "p_code",
          before: Self.requireSessionOfGuess("claim_early"),
          right: """
            IF v_step = 'asked' THEN
              UPDATE sessions SET excused_until = NULL WHERE id = v_held.id AND excused_until > v_held.now_ns;
              IF NOT FOUND THEN
                \(Self.askForCode(actor: "v_guess.account", session: "v_held.id"))
              END IF;
            END IF;
            PERFORM succeed(v_guess, 'right', v_step <> 'asked');
            v_held := settle(p_token, v_held, false);
            v_held := issue(v_held, p_new_token, p_idle, p_absolute);
            PERFORM record('\(EventName.reauthenticated.rawValue)', v_guess.account, v_guess.account, v_held.id,
              step_words(v_step));
            PERFORM take_better_hash(v_guess.account, p_new_setting, p_new_verifier, v_held.id);
            RETURN granted(v_held);
            """,
          wrong: .reauthenticationFailed, by: "v_guess.account")),
    ]
  }

  /// The body of a function that judges a counted guess and grants a session for a right one.
  ///
  /// Whatever is refused, the guess stays counted: the client may have heard the verdict before, in a
  /// transaction that it rolled back.
  ///
  /// With a code, both are judged at once, and a code is used up in the transaction of what it
  /// opens. A wrong one tells whoever has the password no more than a guess without a code does,
  /// and everybody else nothing: the codes are computed for a wrong password, too.
  ///
  /// - Parameters:
  ///   - guesses: Which guesses it takes, as a condition.
  ///   - newToken: The parameter with the token to grant. A repeated call finds its session.
  ///   - code: The parameter with the code, or NULL.
  ///   - variables: Declarations that `right` needs.
  ///   - check: Refuses parameters that are malformed.
  ///   - before: What is required before anything is judged.
  ///   - right: What a right guess does; it ends with RETURN. `v_step` says what `take_step` did.
  ///   - event: The event of a wrong guess.
  ///   - actor: Who the event says did it.
  /// - Returns: The body.
  static func judging(
    _ guesses: String, newToken: String, code: String = "NULL", declaring variables: String = "",
    checking check: String = "", before: String = "", right: String, wrong event: EventName, by actor: String
  ) -> String {
    """
    DECLARE
      v_guess guesses;
      v_verdict text;
      v_step text;
      v_held held;
      v_answer grant_answer;
      \(variables)
    BEGIN
      PERFORM enter(p_version);
      \(check)
      SELECT * INTO v_guess FROM guesses g WHERE g.ticket = p_ticket AND \(guesses) FOR UPDATE;
      v_answer.now_ns := clock_ns();
      \(Self.requireTicket)
      IF v_guess.verdict = 'right' AND sha256(p_proof) = v_guess.proof_hash THEN
        v_held := find(sha256(\(newToken)), false);
        IF v_held.code IN ('live', 'pending') THEN RETURN granted(v_held); END IF;
        v_answer.code := 'ticket_unknown';
        RETURN v_answer;
      END IF;
      IF v_guess.verdict IN ('asked', 'code') AND sha256(p_proof) = v_guess.proof_hash THEN
        v_answer.code := 'challenged';
        RETURN v_answer;
      END IF;
      \(Self.answer("credentials", if: "v_guess.verdict IS NOT NULL"))
      PERFORM check_counted(v_guess);
      \(before)
      v_verdict := judge(v_guess, p_proof);
      \(Self.answer("setting_changed", if: "v_verdict = 'setting_changed'"))
      v_step := take_step(v_guess, \(code), v_verdict = 'right');
      IF v_verdict <> 'right' THEN
        PERFORM fail(v_guess, 'wrong', '\(event.rawValue)', \(actor));
      ELSIF v_step = 'wrong' THEN
        PERFORM fail(v_guess, 'code', '\(EventName.twoStepFailed.rawValue)', \(actor));
        v_answer.code := 'challenged';
        RETURN v_answer;
      ELSIF v_step <> 'over' THEN
        \(right)
      END IF;
      v_answer.code := 'credentials';
      RETURN v_answer;
    END
    """
  }

  /// Refuses a guess that was never counted, or so long ago that it is not judged any more.
  static let requireTicket = """
    \(answer("ticket_unknown", if: "NOT FOUND"))
    \(answer("ticket_unknown", if: "v_guess.verdict IS NULL AND v_guess.counted_at < v_answer.now_ns - \(ticketLife)"))
    """

  /// Claims the session of the caller, in which the guess must have been counted.
  static func requireSessionOfGuess(_ claim: String) -> String {
    """
    v_held := \(claim)(p_token, true);
    IF v_held.code NOT IN ('live', 'pending') OR v_held.id <> v_guess.session THEN
      v_answer.code := CASE WHEN v_held.code IN ('live', 'pending') THEN 'ticket_unknown' ELSE v_held.code END;
      RETURN v_answer;
    END IF;
    """
  }

  /// Answers a right password with the question for a code, where the account has a second step.
  ///
  /// Nothing is kept of it: the client sends the proof again, with the code.
  private static func askForCode(actor: String, session: String) -> String {
    """
    IF v_step = 'asked' THEN
      PERFORM succeed(v_guess, 'asked', false);
      PERFORM note_refusal('\(EventName.twoStepAsked.rawValue)', v_guess.account, \(actor), \(session), NULL);
      v_answer.code := 'challenged';
      RETURN v_answer;
    END IF;
    """
  }
}
