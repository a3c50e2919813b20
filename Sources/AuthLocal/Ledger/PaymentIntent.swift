public import AuthBackend
public import AuthCore

/// A payment that was decided and not yet made: submitting consumes it, so that it cannot be submitted twice.
///
/// It exists only for a session whose password was entered recently, and is submitted only under a lease of that
/// session.
public struct PaymentIntent: ~Copyable, Sendable {
  /// What is to be paid.
  public let order: PaymentOrder
  private let session: SessionID
  private let authority: LocalAuthority

  fileprivate init(_ order: PaymentOrder, _ session: SessionID, _ authority: LocalAuthority) {
    self.order = order
    self.session = session
    self.authority = authority
  }

  /// Pays.
  ///
  /// The authority checks session, freshness, accounts and balance again, in the transaction that moves the money.
  ///
  /// - Parameter lease: A lease of the session that the intent was made for.
  /// - Returns: The receipt; with an idempotency key that was used for the same order before, the receipt of then.
  /// - Throws: ``LocalFailure``; nothing was paid.
  public consuming func submit(under lease: borrowing SessionLease) async throws(LocalFailure) -> Receipt {
    try LocalAuthority.require(session, is: lease.sessionID)
    return try authority.pay(order, token: lease.token)
  }
}

extension LocalAuthority {
  /// Makes a payment's intent for a session whose password was entered recently.
  ///
  /// Nothing is read or written.
  public func prepare(_ order: PaymentOrder, for session: FreshSession) -> PaymentIntent {
    PaymentIntent(order, session.session.id, self)
  }

  /// Refuses a key of one session with the lease of another.
  static func require(_ key: SessionID, is leased: SessionID) throws(LocalFailure) {
    guard key == leased else {
      throw .refused(
        "session_mismatch", "The key belongs to another session than the lease.",
        hint: "Use the key of the leased session.")
    }
  }
}
