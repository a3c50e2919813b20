/// A payment that was made.
public struct Receipt: Hashable, Sendable {
  /// Names the payment for good; numbers grow in the order of payments.
  public let id: Int64
  /// Who paid; nil for the opening credit.
  public let payer: String?
  /// Who was paid.
  public let payee: String
  /// How much.
  public let amount: Amount
  /// When, by the wall clock.
  public let madeAt: WallTime
  /// The payer's own name for it, if there was one.
  public let key: String?

  package init(id: Int64, payer: String?, payee: String, amount: Amount, madeAt: WallTime, key: String?) {
    self.id = id
    self.payer = payer
    self.payee = payee
    self.amount = amount
    self.madeAt = madeAt
    self.key = key
  }
}
