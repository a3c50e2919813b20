// A payment to a service always has a key. A client draws one where its user gave none, so that it
// can repeat the payment if the answer is lost.

extension PaymentOrder {
  /// The order with its key, or else with one that is drawn.
  func withKey() throws(BackendError) -> PaymentOrder {
    if key != nil { return self }
    let key = try IdempotencyKey(Receipt.drawnKeys + Secrets.randomName(length: Receipt.drawnLength))
    return PaymentOrder(amount: amount, payee: payee, key: key)
  }
}

extension Receipt {
  /// Begins the keys that a client draws for payments without one.
  fileprivate static let drawnKeys = "auto-"
  fileprivate static let drawnLength = 20

  /// The receipt as the payment was asked for: without a key that was drawn to send it safely.
  var withoutDrawnKey: Receipt {
    guard let key, key.hasPrefix(Self.drawnKeys), key.utf8.count == Self.drawnKeys.utf8.count + Self.drawnLength
    else { return self }
    return Receipt(id: id, payer: payer, payee: payee, amount: amount, madeAt: madeAt, key: nil)
  }
}
