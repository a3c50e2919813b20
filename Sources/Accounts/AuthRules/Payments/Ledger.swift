package import AuthAccounts

/// The account that pays the opening credit of every other; only its balance may be negative.
private let equity: Int64 = 0

/// Double entry: every transfer has two entries that add up to zero, made in one transaction with
/// the balances they change.
extension Transaction {
  /// Opens the ledger account of a new account.
  func openLedger(of account: Int64) throws(BackendError) {
    try run(LedgerQuery.openAccount, account)
    _ = try transfer(Amount.openingCredit, from: equity, to: account, key: nil, at: wallTime)
  }

  /// Whether an account has its opening credit and no payment from or to anybody.
  func isUnused(_ account: Int64) throws(BackendError) -> Bool {
    try all(LedgerQuery.few, account) { (row) throws(BackendError) -> Int64 in try row[0] }.count == 1
  }

  /// Pays the opening credit of an unused account back to where it came from.
  ///
  /// - Returns: The amount; nil for an account with payments.
  func returnOpeningCredit(of account: Int64) throws(BackendError) -> Amount? {
    guard try isUnused(account) else { return nil }
    _ = try transfer(Amount.openingCredit, from: account, to: equity, key: nil, at: wallTime)
    return Amount.openingCredit
  }

  func balance(of account: Int64) throws(BackendError) -> Int64 {
    try one(LedgerQuery.balance, account, else: "account \(account) has no balance")
  }

  /// The balances of two accounts.
  func balances(of one: Int64, _ other: Int64) throws(BackendError) -> (Int64, Int64) {
    let rows = try all(LedgerQuery.balances, one, other) { (row) throws(BackendError) -> (Int64, Int64) in
      (try row[0], try row[1])
    }
    guard let balances = rows.first else { throw damaged("account \(one) or \(other) has no balance") }
    return balances
  }

  /// Moves an amount.
  ///
  /// The caller has checked that the payer has it.
  ///
  /// - Returns: The number of the transfer.
  func transfer(
    _ amount: Amount, from payer: Int64, to payee: Int64, key: IdempotencyKey?, at time: WallTime
  ) throws(BackendError) -> Int64 {
    let units = amount.minorUnits
    let id: Int64
    let fault = "a new transfer got no number"
    if let number = try receiptNumber() {
      id = try one(LedgerQuery.numbered, payer, payee, units, key?.description, time, number, else: fault)
    } else {
      id = try one(LedgerQuery.transfer, payer, payee, units, key?.description, time, else: fault)
    }
    for (account, change) in [(payer, -units), (payee, units)] {
      try run(LedgerQuery.entry, account, id, change)
      try run(LedgerQuery.add, change, account)
    }
    return id
  }

  /// The receipt of the payment that `payer` made under the key of an order, if there is one.
  ///
  /// - Throws: ``BackendError`` of kind `refused` when that was another order.
  func earlierPayment(of order: PaymentOrder, by payer: Int64) throws(BackendError) -> Receipt? {
    guard let key = order.key?.description, let receipt: Receipt = try first(LedgerQuery.byKey, payer, key) else {
      return nil
    }
    // Of the name of a deleted account only a hash is left.
    let isPayee =
      receipt.payee == DeletedAccount.shownName
      ? try has(AccountQuery.isReserved, order.payee.reservation) : receipt.payee == order.payee.canonical
    guard isPayee, receipt.amount == order.amount else {
      throw .refused(.idempotencyKeyReused, key, receipt.amount.description, receipt.payee)
    }
    return receipt.asRepetition
  }
}

package enum LedgerQuery: String, Query {
  case openAccount = "INSERT INTO ledger_accounts(id, balance) VALUES ($1, 0)"
  case balance = "SELECT balance FROM ledger_accounts WHERE id = $1"
  case balances = """
    SELECT one.balance, other.balance FROM ledger_accounts one, ledger_accounts other
    WHERE one.id = $1 AND other.id = $2
    """
  case add = "UPDATE ledger_accounts SET balance = balance + $1 WHERE id = $2"
  case transfer = """
    INSERT INTO transfers(payer, payee, amount, key, made_at) VALUES ($1, $2, $3, $4, $5) RETURNING id
    """
  case numbered = """
    INSERT INTO transfers(payer, payee, amount, key, made_at, id) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
    """
  /// The first number after those that a restore skipped; none once a payment has it. SQLite
  /// continues after the highest number in the table by itself.
  case skippedTo = """
    SELECT receipts_through + 1 FROM authority
    WHERE id = 1 AND receipts_through > (SELECT coalesce(max(id), 0) FROM transfers)
    """
  /// The first payments of an account, the opening credit included.
  case few = "SELECT transfer FROM entries WHERE account = $1 ORDER BY transfer LIMIT 2"
  case entry = "INSERT INTO entries(account, transfer, amount) VALUES ($1, $2, $3)"
  case byKey = """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, t.key, t.made_at
    FROM transfers t LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
    WHERE t.payer = $1 AND t.key = $2
    """
  /// The last row of a part of the list of receipts.
  case part = """
    SELECT id, made_at FROM transfers WHERE id = (
      SELECT transfer FROM entries WHERE account = $1 AND transfer < $2 ORDER BY transfer DESC LIMIT 1 OFFSET $3)
    """
}

/// Receipts of an account, newest first.
package enum ReceiptSelection: String, Query {
  /// A page of all receipts, of which PostgreSQL would read many more for the conditions of a
  /// search.
  case newest = "e.transfer < $2 ORDER BY e.transfer DESC LIMIT $3"
  /// A page of a search in the text of the list on a screen: the number, the amount with its sign
  /// and the name of the other account.
  case page = """
    e.transfer < $2 AND e.transfer >= $3 AND t.made_at >= $4 AND t.made_at < $5
      AND lower(CAST(t.id AS TEXT) || CASE WHEN t.payer = e.account THEN ' -' ELSE ' +' END
        || CAST(t.amount / 100 AS TEXT) || '.' || substr(CAST(100 + t.amount % 100 AS TEXT), 2) || ' '
        || CASE WHEN o.name < '-' THEN 'deleted account' ELSE coalesce(o.name, 'opening credit') END
      ) LIKE $6 ESCAPE '!'
    ORDER BY e.transfer DESC LIMIT $7
    """

  /// Only the payer gets the key.
  package var sql: String {
    """
    SELECT t.id, t.payer, p.name, t.payee, q.name, t.amount, CASE WHEN t.payer = e.account THEN t.key END, t.made_at
    FROM entries e JOIN transfers t ON t.id = e.transfer
      LEFT JOIN accounts p ON p.id = t.payer LEFT JOIN accounts q ON q.id = t.payee
      \(self == .page ? "LEFT JOIN accounts o ON o.id = CASE WHEN t.payer = e.account THEN t.payee ELSE t.payer END" : "")
    WHERE e.account = $1 AND \(rawValue)
    """
  }
}

extension Receipt: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    self.init(
      id: try row[0], payer: DeletedAccount.shown(try row[2]), payee: DeletedAccount.shown(try row[4]) ?? "",
      amount: Amount(unchecked: try row[5]), madeAt: try row[7], key: try row[6])
  }
}
