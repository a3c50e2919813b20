package import AuthCore

extension Rules {
  /// Pays, in one transaction with every check: session, freshness, accounts, balance.
  ///
  /// With a key that was used before, an identical order gets the first receipt, whatever became of
  /// freshness and balance since, and another order is refused.
  package func pay(_ order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt {
    try writing(token) { (db, own) throws(BackendError) in
      let found = try db.account(named: order.payee)
      try db.lock(.balances(own.account, found?.id ?? own.account))
      if let earlier = try db.earlierPayment(of: order, by: own.account) { return earlier }
      try db.requireFresh(own)
      guard let payee = found else { throw .refused(.payeeUnknown, order.payee.canonical) }
      guard payee.id != own.account else { throw .refused(.payeeIsPayer) }
      guard !payee.isDisabled else { throw .refused(.payeeDisabled, order.payee.canonical) }
      let balance = try db.balance(of: own.account)
      guard balance >= order.amount.minorUnits else {
        throw .refused(.insufficientFunds, Amount.text(balance), order.amount.description)
      }
      guard try db.balance(of: payee.id) <= Int64.max - order.amount.minorUnits else { throw .refused(.payeeFull) }
      let time = db.wallTime
      let id = try db.transfer(order.amount, from: own.account, to: payee.id, key: order.key, at: time)
      return Receipt(
        id: id, payer: own.user.username, payee: payee.user.username, amount: order.amount, madeAt: time,
        key: order.key?.description)
    }
  }

  /// The receipt of an identical order that was paid under the same idempotency key, if there is
  /// one.
  package func earlierPayment(of order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt? {
    if order.key == nil { return nil }
    return try reading(token) { (db, own) throws(BackendError) in
      try db.earlierPayment(of: order, by: own.account)
    }
  }

  /// Payments from and to the session's account that contain the text of the page, newest first.
  ///
  /// - Returns: The page; shorter than its limit when it is the last.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  package func receipts(_ page: Page = Page(), token: SessionToken) throws(BackendError) -> [Receipt] {
    try reading(token) { (db, own) throws(BackendError) in
      try db.all(LedgerQuery.page, own.account, page.end, page.since, page.until, page.pattern, page.rows)
    }
  }
}
