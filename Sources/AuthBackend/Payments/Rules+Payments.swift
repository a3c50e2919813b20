package import AuthCore

extension Rules {
  /// Pays, in one transaction with every check: session, freshness, accounts, balance.
  ///
  /// With a key that was used before, an identical order gets the first receipt, whatever became of
  /// freshness and balance since, and another order is refused.
  package func pay(_ order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt {
    try writing(token, preparing: Self.paying) { (db, session, now) throws(BackendError) in
      let ledger = Ledger(db)
      let found = try account(named: order.payee, in: db)
      try db.lock(.balances(session.account, found?.id ?? session.account))
      if let key = order.key, let earlier = try ledger.payment(by: session.account, under: key) {
        return try repeated(earlier.receipt, order, key)
      }
      guard session.limits.isFresh(at: now) else { throw .notFresh }
      let payee = try accepted(found, of: order, payer: session)
      let balance = try ledger.balance(of: session.account)
      guard balance >= order.amount.minorUnits else {
        throw .refused(.insufficientFunds, Amount.text(balance), order.amount.description)
      }
      guard try ledger.balance(of: payee.id) <= Int64.max - order.amount.minorUnits else { throw .refused(.payeeFull) }
      let time = db.wallTime
      let id = try ledger.transfer(order.amount, from: session.account, to: payee.id, key: order.key, at: time)
      return Receipt(
        id: id, payer: session.user.username, payee: payee.user.username, amount: order.amount, madeAt: time,
        key: order.key?.description)
    }
  }

  private static let paying = [
    AccountQuery.byName.rawValue, LedgerQuery.balance.rawValue, LedgerQuery.transfer.rawValue,
    LedgerQuery.entry.rawValue, LedgerQuery.add.rawValue,
  ]

  /// The receipt of an identical order that was paid under the same idempotency key, if there is
  /// one.
  package func earlierPayment(of order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt? {
    guard let key = order.key else { return nil }
    return try reading(token) { (db, session, _) throws(BackendError) in
      guard let earlier = try Ledger(db).payment(by: session.account, under: key) else { return nil }
      return try repeated(earlier.receipt, order, key)
    }
  }

  /// Payments from and to the session's account, newest first.
  ///
  /// - Parameters:
  ///   - times: Only those made within; see ``TimeSpan``.
  ///   - text: Only those that contain it.
  ///   - before: Only older ones than this receipt; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - token: The session.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  package func receipts(
    within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50,
    token: SessionToken
  ) throws(BackendError) -> [Receipt] {
    try reading(token) { (db, session, _) throws(BackendError) in
      try Ledger(db).receipts(
        of: session.account, within: times, matching: text, before: before, limit: max(0, limit))
    }
  }

  func repeated(
    _ receipt: Receipt, _ order: PaymentOrder, _ key: IdempotencyKey
  ) throws(BackendError) -> Receipt {
    guard receipt.payee == order.payee.canonical, receipt.amount == order.amount else {
      throw .refused(.idempotencyKeyReused, key.description, receipt.amount.description, receipt.payee)
    }
    return receipt.asRepetition
  }

  private func accepted(
    _ payee: AccountRow?, of order: PaymentOrder, payer: SessionRow
  ) throws(BackendError) -> AccountRow {
    guard let payee else { throw .refused(.payeeUnknown, order.payee.canonical) }
    guard payee.id != payer.account else { throw .refused(.payeeIsPayer) }
    guard !payee.isDisabled else { throw .refused(.payeeDisabled, order.payee.canonical) }
    return payee
  }
}
