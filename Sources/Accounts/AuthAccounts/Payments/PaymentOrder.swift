/// A payment to make: amount and payee.
public struct PaymentOrder: Hashable, Sendable {
  /// The amount to pay.
  public let amount: Amount
  /// The user name of the account to pay.
  public let payee: Username
  /// The name under which this payment is made at most once, or nil for one that may be repeated.
  public let key: IdempotencyKey?

  /// Creates an order, which does not pay yet.
  public init(amount: Amount, payee: Username, key: IdempotencyKey? = nil) {
    self.amount = amount
    self.payee = payee
    self.key = key
  }
}

/// A name that a payer gives a payment, so that repeating the request does not repeat the payment.
///
/// 1 to 128 printable ASCII characters.
/// Source: the `Idempotency-Key` header, draft-ietf-httpapi-idempotency-key-header.
public struct IdempotencyKey: Hashable, Sendable, CustomStringConvertible {
  /// The key as given.
  public let description: String

  /// The accepted form, as the end of a sentence; ``init(_:)`` checks it.
  package static let rule = "1 to 128 printable ASCII characters"

  /// Checks a text and creates a key from it.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` that says the accepted form.
  public init(_ text: String) throws(BackendError) {
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw .invalid(.idempotencyKeyInvalid)
    }
    description = text
  }
}
