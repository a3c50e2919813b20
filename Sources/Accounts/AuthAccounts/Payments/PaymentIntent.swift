public import AuthCore

/// A payment that was prepared and not yet submitted.
///
/// Submitting consumes it, so it cannot be submitted twice.
///
/// It can be made only for a session whose password was entered recently, and submitted only under
/// a lease of that session.
public struct PaymentIntent: ~Copyable, Sendable {
  /// The order to pay.
  public let order: PaymentOrder
  fileprivate let key: FreshSession
  fileprivate let backend: any Backend

  /// Pays on the threads of the session's store, so it does not block your actor.
  ///
  /// The backend checks session, freshness, accounts and balance again, in the transaction that
  /// moves the money.
  ///
  /// - Parameter lease: A lease of the session that the intent was made for.
  /// - Returns: The receipt; with an idempotency key that was used for the same order before, the
  ///   first receipt.
  /// - Throws: ``BackendError``; nothing was paid.
  public consuming func submit(under lease: borrowing SessionLease) async throws(BackendError) -> Receipt {
    let (backend, order, token) = (backend, order, try lease.token(with: key))
    return try await lease.onWorkExecutor { () throws(BackendError) in
      try backend.ask(Operations.pay, token) { (order, $0) }
    }
  }
}

extension Backend {
  /// Prepares a payment for a session whose password was entered recently.
  ///
  /// Reads and writes nothing.
  public func prepare(_ order: PaymentOrder, for session: FreshSession) -> PaymentIntent {
    PaymentIntent(order: order, key: session, backend: self)
  }
}
