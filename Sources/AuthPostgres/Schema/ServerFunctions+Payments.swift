import AuthBackend
import AuthCore

/// The ledger: every check of a payment is made in the transaction that moves the money.
extension ServerSchema {
  var payments: [ServerFunction] {
    [
      // The caller has locked both accounts, and checked that the payer has the amount.
      .inner(
        "move",
        "p_payer bigint, p_payee bigint, p_amount bigint, p_key text, p_key_was_given boolean, p_at bigint",
        returns: "bigint",
        """
        DECLARE
          v_id bigint;
        BEGIN
          INSERT INTO transfers(payer, payee, amount, key, key_was_given, made_at)
            VALUES (p_payer, p_payee, p_amount, p_key, p_key_was_given, p_at) RETURNING id INTO v_id;
          INSERT INTO entries VALUES (p_payer, v_id, -p_amount), (p_payee, v_id, p_amount);
          UPDATE ledger_accounts SET balance = balance + CASE id WHEN p_payee THEN p_amount ELSE -p_amount END
            WHERE id IN (p_payer, p_payee);
          RETURN v_id;
        END
        """),
      .inner(
        "payment_under", "p_payer bigint, p_key text", returns: "receipt_answer",
        """
        DECLARE
          v_answer receipt_answer;
        BEGIN
          SELECT 'ok', NULL, NULL, t.id, p.name, q.name, t.amount, t.made_at, CASE WHEN t.key_was_given THEN t.key END
            INTO v_answer
            FROM transfers t LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
            WHERE t.payer = p_payer AND t.key = p_key;
          RETURN v_answer;
        END
        """),
      // The receipt of an identical order, marked by the number 1, or a refusal of another one
      // under its key.
      .inner(
        "repeated", "p_receipt receipt_answer, p_payee text, p_amount bigint", returns: "receipt_answer",
        """
        DECLARE
          v_answer receipt_answer := p_receipt;
        BEGIN
          v_answer.number := 1;
          IF v_answer.payee <> p_payee OR v_answer.amount <> p_amount THEN v_answer.code := 'idempotency_key_reused'; END IF;
          RETURN v_answer;
        END
        """),
      .inner(
        "check_key", "p_key text", returns: "void",
        """
        BEGIN
          IF p_key !~ '^[ -~]{1,128}$' THEN PERFORM malformed('key'); END IF;
        END
        """),
      .open(
        "pay", "p_token bytea, p_payee text, p_amount bigint, p_key text, p_key_was_given boolean",
        returns: "receipt_answer",
        """
        DECLARE
          v_held held;
          v_answer receipt_answer;
          v_payee bigint;
          v_disabled boolean;
          v_payer_balance bigint;
          v_payee_balance bigint;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_key(p_key);
          IF p_payee IS NULL THEN PERFORM malformed('payee'); END IF;
          IF p_amount IS NULL OR p_amount NOT BETWEEN 1 AND \(Amount.largest.minorUnits) THEN
            PERFORM malformed('amount');
          END IF;
          IF p_key_was_given IS NULL THEN PERFORM malformed('key'); END IF;
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          IF p_key IS NOT NULL THEN
            v_answer := payment_under(v_held.account, p_key);
            IF v_answer.code IS NOT NULL THEN
              v_answer := repeated(v_answer, p_payee, p_amount);
              v_answer.now_ns := v_held.now_ns;
              IF v_answer.code = 'ok' THEN v_held := settle(p_token, v_held, true); END IF;
              RETURN v_answer;
            END IF;
            v_answer.now_ns := v_held.now_ns;
          END IF;
          \(Self.refuseUnlessFresh)
          SELECT a.id, a.disabled INTO v_payee, v_disabled FROM accounts a WHERE a.name = p_payee;
          v_answer.code := CASE
            WHEN v_payee IS NULL THEN 'payee_unknown'
            WHEN v_payee = v_held.account THEN 'payee_is_payer'
            WHEN v_disabled THEN 'payee_disabled' END;
          IF v_answer.code IS NOT NULL THEN RETURN v_answer; END IF;
          -- Both in the order of their numbers, so that two who pay each other do not wait for each other.
          PERFORM 1 FROM ledger_accounts l WHERE l.id IN (v_held.account, v_payee) ORDER BY l.id FOR NO KEY UPDATE;
          IF p_key IS NOT NULL THEN
            -- Another session of the same payer may have paid under this key meanwhile.
            v_answer := payment_under(v_held.account, p_key);
            IF v_answer.code IS NOT NULL THEN
              v_answer := repeated(v_answer, p_payee, p_amount);
              v_answer.now_ns := v_held.now_ns;
              IF v_answer.code = 'ok' THEN v_held := settle(p_token, v_held, true); END IF;
              RETURN v_answer;
            END IF;
          END IF;
          -- The payee may have been deleted meanwhile, which locks the ledger, too.
          IF NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = v_payee AND a.name = p_payee) THEN
            v_answer.code := 'payee_unknown';
            RETURN v_answer;
          END IF;
          SELECT l.balance INTO STRICT v_payer_balance FROM ledger_accounts l WHERE l.id = v_held.account;
          SELECT l.balance INTO STRICT v_payee_balance FROM ledger_accounts l WHERE l.id = v_payee;
          v_answer.now_ns := clock_ns();
          IF v_payer_balance < p_amount THEN
            v_answer.code := 'insufficient_funds';
            v_answer.number := v_payer_balance;
            RETURN v_answer;
          END IF;
          IF v_payee_balance > \(Int64.max) - p_amount THEN
            v_answer.code := 'payee_full';
            RETURN v_answer;
          END IF;
          v_held := settle(p_token, v_held, true);
          v_answer.code := 'ok';
          v_answer.payer := v_held.name;
          v_answer.payee := p_payee;
          v_answer.amount := p_amount;
          v_answer.made_at := v_answer.now_ns / 1000;
          v_answer.key := CASE WHEN p_key_was_given THEN p_key END;
          v_answer.id := move(v_held.account, v_payee, p_amount, p_key, p_key_was_given, v_answer.made_at);
          RETURN v_answer;
        END
        """),
      .open(
        "earlier_payment", "p_token bytea, p_payee text, p_amount bigint, p_key text", returns: "receipt_answer",
        """
        DECLARE
          v_held held;
          v_answer receipt_answer;
        BEGIN
          PERFORM enter(p_version);
          PERFORM check_key(p_key);
          -- Locked, which is a write: this commit waits for the standby, and so for the payment that it tells of.
          v_held := claim(p_token, true);
          \(Self.refuseUnlessActive)
          v_answer := payment_under(v_held.account, p_key);
          IF v_answer.code IS NULL THEN
            v_answer.code := 'none';
          ELSE
            v_answer := repeated(v_answer, p_payee, p_amount);
          END IF;
          v_answer.now_ns := v_held.now_ns;
          IF v_answer.code <> 'idempotency_key_reused' THEN v_held := settle(p_token, v_held, false); END IF;
          RETURN v_answer;
        END
        """),
      .open(
        "receipts", "p_token bytea, p_since bigint, p_until bigint, p_before bigint, p_limit bigint",
        returns: "SETOF receipt_answer",
        """
        DECLARE
          v_held held;
          v_answer receipt_answer;
        BEGIN
          PERFORM enter(p_version);
          v_held := settle(p_token, claim(p_token, false), false);
          \(Self.refuseRowsUnlessLive)
          RETURN QUERY
            SELECT 'ok', v_held.now_ns, NULL::bigint, t.id, p.name::text, q.name::text, t.amount, t.made_at,
              CASE WHEN t.key_was_given AND t.payer = v_held.account THEN t.key::text END
            FROM entries e JOIN transfers t ON t.id = e.transfer
              LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
            WHERE e.account = v_held.account AND e.transfer < coalesce(p_before, \(Int64.max))
              AND t.made_at >= coalesce(p_since, \(Int64.min)) AND t.made_at < coalesce(p_until, \(Int64.max))
            ORDER BY e.transfer DESC LIMIT greatest(0, p_limit);
        END
        """),
    ]
  }
}
