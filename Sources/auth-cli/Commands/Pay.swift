import AuthCore
import AuthLocal

extension Workspace {
  /// `pay AMOUNT --to USER`: one payment, made once and wholly, or not at all.
  func pay(_ minorUnits: Int64, to payee: String, key: String?) async throws(Refusal) -> Answer {
    let session = try await session()
    let order: PaymentOrder
    do throws(LocalFailure) {
      order = PaymentOrder(
        amount: try Amount(minorUnits: minorUnits), payee: try Username(payee),
        key: try key.map { (text) throws(LocalFailure) in try IdempotencyKey(text) })
    } catch {
      throw Refusal(error)
    }
    let fresh = try await fresh(session)
    let receipt: Receipt
    do throws(LeaseError<LocalFailure>) {
      receipt = try fresh.session.withLease { (lease) throws(LocalFailure) in
        try authority.pay(order, token: lease.token)
      }
    } catch {
      throw Refusal(error)
    }
    var answer = Answer(
      lines: bar("Pay") + ["Paid \(receipt.amount) to \(escaping: receipt.payee). Receipt \(receipt.id)."],
      ["receipt": .receipt(receipt)])
    answer.evenIfUnprinted = "paid, receipt \(receipt.id)"
    return answer
  }
}
