/// A payment that was made.
public struct Receipt: Hashable, Sendable {
  /// The number of the payment.
  ///
  /// Numbers grow in the order of payments.
  public let id: Int64
  /// The user name of the payer; nil for the opening credit.
  public let payer: String?
  /// The user name of the account that was paid.
  public let payee: String
  /// The amount that was paid.
  public let amount: Amount
  /// The time of the payment, by the wall clock.
  public let madeAt: WallTime
  /// The idempotency key of the payment; nil without one, and in a receipt of the payee.
  public let key: String?
  /// Whether it answers an order that had been paid before, so that nothing was paid now.
  ///
  /// False in a list.
  public let isRepetition: Bool

  /// This receipt as the answer to an order that had been paid before.
  package var asRepetition: Receipt {
    Receipt(id: id, payer: payer, payee: payee, amount: amount, madeAt: madeAt, key: key, isRepetition: true)
  }

  /// Creates a receipt, for a backend to answer with.
  public init(
    id: Int64, payer: String?, payee: String, amount: Amount, madeAt: WallTime, key: String?, isRepetition: Bool = false
  ) {
    self.id = id
    self.payer = payer
    self.payee = payee
    self.amount = amount
    self.madeAt = madeAt
    self.key = key
    self.isRepetition = isRepetition
  }
}
