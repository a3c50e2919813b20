public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// The receipt of an identical order that was paid under the same idempotency key.
  ///
  /// It needs no recent password: nothing is paid, and a retry that lost its answer must get it.
  ///
  /// - Returns: The receipt, or nil when the order has no key or the key was not used.
  /// - Throws: ``LocalFailure`` of kind `refused` (`idempotency_key_reused`) when the key was used for another order;
  ///   `session`, `unavailable`.
  public func earlierPayment(
    of order: PaymentOrder, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> Receipt? {
    guard let key = order.key else { return nil }
    return try reading(lease.token) { (db, session, _) throws(LocalFailure) in
      guard let earlier = try Ledger(db).payment(by: session.account, under: key) else { return nil }
      return try repeated(earlier.receipt, order, key)
    }
  }
}
