package enum LedgerQuery: String, Query {
  case openAccount = "INSERT INTO ledger_accounts(id, balance) VALUES (?, 0)"
  case balance = "SELECT balance FROM ledger_accounts WHERE id = ?"
  case add = "UPDATE ledger_accounts SET balance = balance + ? WHERE id = ?"
  case transfer = """
    INSERT INTO transfers(payer, payee, amount, key, made_at) VALUES (?, ?, ?, ?, ?) RETURNING id
    """
  case entry = "INSERT INTO entries(account, transfer, amount) VALUES (?, ?, ?)"
  case byKey = """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, t.key, t.made_at
    FROM transfers t LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
    WHERE t.payer = ? AND t.key = ?
    """
  case page = """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, t.key, t.made_at
    FROM entries e JOIN transfers t ON t.id = e.transfer
      LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
    WHERE e.account = ? AND e.transfer < ? ORDER BY e.transfer DESC LIMIT ?
    """
}
