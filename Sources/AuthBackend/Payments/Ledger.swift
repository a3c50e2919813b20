/// Double entry: every transfer has two entries that add up to zero, made in one transaction with
/// the balances they change.
///
/// Account 0 is the equity account, out of which every account opens; it alone may be negative.
struct Ledger {
  static let equity: Int64 = 0

  private let db: any Transaction

  init(_ db: any Transaction) {
    self.db = db
  }

  /// Opens the ledger account of a new account.
  func open(account: Int64, at time: WallTime) throws(BackendError) {
    try db.run(LedgerQuery.openAccount, .integer(account))
    _ = try transfer(Amount.openingCredit, from: Self.equity, to: account, key: nil, at: time)
  }

  func balance(of account: Int64) throws(BackendError) -> Int64 {
    guard let balance = try db.first(LedgerQuery.balance, .integer(account), read: { $0.integer(0) }) else {
      throw db.damaged("account \(account) has no balance")
    }
    return balance
  }

  /// Moves an amount.
  ///
  /// The caller has checked that the payer has it.
  ///
  /// - Returns: The number of the transfer.
  func transfer(
    _ amount: Amount, from payer: Int64, to payee: Int64, key: IdempotencyKey?, at time: WallTime
  ) throws(BackendError) -> Int64 {
    let id = try db.first(
      LedgerQuery.transfer, .integer(payer), .integer(payee), .integer(amount.minorUnits), .text(key?.description),
      .integer(time.microseconds)
    ) { $0.integer(0) }
    guard let id else { throw db.damaged("a new transfer got no number") }
    for (account, change) in [(payer, -amount.minorUnits), (payee, amount.minorUnits)] {
      try db.run(LedgerQuery.entry, .integer(account), .integer(id), .integer(change))
      try db.run(LedgerQuery.add, .integer(change), .integer(account))
    }
    return id
  }

  /// The payment that `payer` made under `key`, with the number of its payee.
  func payment(by payer: Int64, under key: IdempotencyKey) throws(BackendError) -> (receipt: Receipt, payee: Int64)? {
    try db.first(LedgerQuery.byKey, .integer(payer), .text(key.description)) { (Self.receipt($0), $0.integer(3)) }
  }

  /// Payments from and to `account` that contain the text, newest first, older than the transfer
  /// `before`.
  func receipts(
    of account: Int64, within times: TimeSpan, matching text: String, before: Int64?, limit: Int
  ) throws(BackendError) -> [Receipt] {
    try db.all(
      LedgerQuery.page, .integer(account), .integer(before ?? Int64.max),
      .integer(times.since?.microseconds ?? Int64.min), .integer(times.until?.microseconds ?? Int64.max),
      .pattern(containing: text), .integer(limit)
    ) { Self.receipt($0) }
  }

  private static func receipt(_ row: Row) -> Receipt {
    Receipt(
      id: row.integer(0), payer: DeletedAccount.shown(row.optionalText(2)),
      payee: DeletedAccount.shown(row.text(4)) ?? "", amount: Amount(unchecked: row.integer(5)),
      madeAt: WallTime(microseconds: row.integer(7)), key: row.optionalText(6))
  }
}

package enum LedgerQuery: String, Query {
  case openAccount = "INSERT INTO ledger_accounts(id, balance) VALUES ($1, 0)"
  case balance = "SELECT balance FROM ledger_accounts WHERE id = $1"
  case add = "UPDATE ledger_accounts SET balance = balance + $1 WHERE id = $2"
  case transfer = """
    INSERT INTO transfers(payer, payee, amount, key, made_at) VALUES ($1, $2, $3, $4, $5) RETURNING id
    """
  case entry = "INSERT INTO entries(account, transfer, amount) VALUES ($1, $2, $3)"
  /// A payer's own words for payments go with the account.
  case forgetKeys = "UPDATE transfers SET key = NULL WHERE payer = $1 AND key IS NOT NULL"
  case byKey = """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, t.key, t.made_at
    FROM transfers t LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
    WHERE t.payer = $1 AND t.key = $2
    """
  /// The key is the payer's own, and nothing for the payee. The text is that of the list on a
  /// screen: the number, the amount with its sign and the name of the other account.
  case page = """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, CASE WHEN t.payer = e.account THEN t.key END, t.made_at
    FROM entries e JOIN transfers t ON t.id = e.transfer
      LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
      LEFT JOIN accounts o ON o.id = CASE WHEN t.payer = e.account THEN t.payee ELSE t.payer END
    WHERE e.account = $1 AND e.transfer < $2 AND t.made_at >= $3 AND t.made_at < $4
      AND lower(CAST(t.id AS TEXT) || CASE WHEN t.payer = e.account THEN ' -' ELSE ' +' END
        || CAST(t.amount / 100 AS TEXT) || '.' || substr(CAST(100 + t.amount % 100 AS TEXT), 2) || ' '
        || CASE WHEN o.name < '-' THEN 'deleted account' ELSE coalesce(o.name, 'opening credit') END
      ) LIKE $5 ESCAPE '!'
    ORDER BY e.transfer DESC LIMIT $6
    """
}
