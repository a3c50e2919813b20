package import AuthAccounts
package import AuthCore

extension Rules {
  /// Pays, in one transaction with every check: session, freshness, accounts, balance.
  ///
  /// With a key that was used before, an identical order gets the first receipt, whatever became of
  /// freshness and balance since, and another order is refused.
  package func pay(_ order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt {
    var payer: Int64?
    do throws(BackendError) {
      // An earlier payment needs no recent password; a new one is checked below.
      return try writing(token, Operations.earlierPayment.needs) { (db, own) throws(BackendError) in
        payer = own.account
        let found = try db.account(named: order.payee)
        try db.lock(.balances(own.account, found?.id ?? own.account))
        if let earlier = try db.earlierPayment(of: order, by: own.account) { return earlier }
        try unknownPayees?.require(own.account)
        try db.requireFresh(own)
        guard let payee = found else { throw .refused(.payeeUnknown, order.payee.canonical) }
        guard payee.id != own.account else { throw .refused(.payeeIsPayer) }
        guard !payee.isDisabled else {
          // Once for the message, and once for the command in its hint.
          throw .refused(.payeeDisabled, order.payee.canonical, order.payee.canonical)
        }
        let (balance, payeeBalance) = try db.balances(of: own.account, payee.id)
        guard balance >= order.amount.minorUnits else {
          throw .refused(.insufficientFunds, Amount.text(balance), order.amount.description)
        }
        guard payeeBalance <= Int64.max - order.amount.minorUnits else { throw .refused(.payeeFull) }
        let time = db.wallTime
        let id = try db.transfer(order.amount, from: own.account, to: payee.id, key: order.key, at: time)
        return Receipt(
          id: id, payer: own.user.username, payee: payee.user.username, amount: order.amount, madeAt: time,
          key: order.key?.description)
      }
    } catch {
      if let payer, error.code == BackendError.Code.payeeUnknown.rawValue { unknownPayees?.count(payer) }
      throw error
    }
  }

  package func earlierPayment(of order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt? {
    if order.key == nil { return nil }
    return try reading(token, Operations.earlierPayment.needs) { (db, own) throws(BackendError) in
      try db.earlierPayment(of: order, by: own.account)
    }
  }

  package func receipts(_ page: Page = Page(), token: SessionToken) throws(BackendError) -> Found<Receipt> {
    try reading(token, Operations.receipts.needs) { (db, own) throws(BackendError) in
      try search(
        page, part: { end throws(BackendError) in try db.first(LedgerQuery.part, own.account, end, Self.part) },
        rows: { first, end, limit throws(BackendError) in
          if !page.isRestricted { return try db.all(ReceiptSelection.newest, own.account, end, limit) }
          return try db.all(ReceiptSelection.page, own.account, end, first, page.since, page.until, page.pattern, limit)
        })
    }
  }
}
