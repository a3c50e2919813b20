package import AuthCore

/// Payments, and what happened.
extension Backend {
  /// The receipt of an identical order that was paid under the same idempotency key.
  ///
  /// It needs no recent password: nothing is paid, and a retry that lost its answer must get it.
  ///
  /// - Returns: The receipt, or nil when the order has no key or the key was not used.
  /// - Throws: ``BackendError`` of kind `refused` (`idempotency_key_reused`) when the key was used
  ///   for another order.
  package func earlierPayment(
    of order: PaymentOrder, under lease: borrowing SessionLease
  ) throws(BackendError) -> Receipt? {
    try ask(Operations.earlierPayment, lease.token()) { (order, $0) }
  }

  /// Payments from and to the leased session's account, newest first.
  ///
  /// - Parameters:
  ///   - page: Which. A receipt contains the page's text in its number, in its amount with its sign
  ///     (`-12.50`) or in the name of the other account.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; it is the last if it is shorter than its limit and the search did not
  ///   stop early, see ``Found/stop``.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  package func receipts(_ page: Page, under lease: borrowing SessionLease) throws(BackendError) -> Found<Receipt> {
    try ask(Operations.receipts, lease.token()) { (page, $0) }
  }

  /// Events that concern the leased session's account, newest first.
  ///
  /// - Parameters:
  ///   - page: Which. An event contains the page's text in its name, its detail, or the name of the
  ///     account, the actor or the session.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; it is the last if it is shorter than its limit and the search did not
  ///   stop early, see ``Found/stop``.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  package func events(_ page: Page, under lease: borrowing SessionLease) throws(BackendError) -> Found<Event> {
    try ask(Operations.events, lease.token()) { (.own, page, $0) }
  }

  /// Events of every account, newest first.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func allEvents(
    _ page: Page, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Found<Event> {
    try ask(Operations.allEvents, lease.token(with: administrator)) { (.everyone, page, $0) }
  }
}
