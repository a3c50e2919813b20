import AuthBackend
import AuthCore
import AuthLocal
import CommandLineKit

extension Workspace {
  /// `pay AMOUNT --to USER`: one payment, made once and wholly, or not at all.
  func pay(_ amount: Amount, to payee: String, key: String?) async throws(Refusal) -> Answer {
    let screen = try await open(PaymentScreen.self, isActivity: false)
    let order = try valid { () throws(LocalFailure) in
      PaymentOrder(
        amount: amount, payee: try Username(payee),
        key: try key.map { (text) throws(LocalFailure) in try IdempotencyKey(text) })
    }
    // An identical retry gets its receipt before anything else is asked for.
    if let earlier = try ask(
      screen.session,
      { (lease) throws(LocalFailure) in
        try authority.earlierPayment(of: order, under: lease)
      })
    {
      return paid(earlier)
    }
    _ = try await fresh(screen.session)
    return paid(try await submit(try prepare(order, in: screen), in: screen))
  }

  private func prepare(_ order: PaymentOrder, in screen: PaymentScreen) throws(Refusal) -> PaymentIntent {
    do throws(FreshnessRefusal) {
      return try screen.prepare(order, at: authority)
    } catch {
      throw Refusal(error)
    }
  }

  private func submit(_ intent: consuming PaymentIntent, in screen: PaymentScreen) async throws(Refusal) -> Receipt {
    do throws(PaymentFailure) {
      return try await screen.submit(intent)
    } catch {
      switch error {
      case .anotherInProgress: throw Refusal(SessionFailure.overtaken)
      case .ended(let reason): throw .ended(reason.sentence)
      case .refused(let failure): throw Refusal(failure)
      }
    }
  }

  private func paid(_ receipt: Receipt) -> Answer {
    Answer(
      lines: bar("Pay") + ["Paid \(receipt.amount) to \(escaping: receipt.payee). Receipt \(receipt.id)."],
      ["receipt": .receipt(receipt)],
      evenIfUnprinted: .init("paid, receipt \(receipt.id)", hint: "The receipts show it."))
  }
}
