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
    if let earlier = try await ask(
      screen.session,
      { (lease) throws(LocalFailure) in
        try authority.earlierPayment(of: order, under: lease)
      })
    {
      return paid(earlier)
    }
    let fresh = try await fresh(screen.session)
    return paid(
      try await asking { () async throws(PaymentFailure) in
        try await screen.submit(authority.prepare(order, for: fresh))
      })
  }

  private func paid(_ receipt: Receipt) -> Answer {
    Answer(
      lines: bar("Pay") + ["Paid \(receipt.amount) to \(escaping: receipt.payee). Receipt \(receipt.id)."],
      ["receipt": .receipt(receipt)],
      evenIfUnprinted: .init("paid, receipt \(receipt.id)", hint: "The receipts show it."))
  }
}

extension PaymentFailure: LeasedFailure {
  var leaseError: LeaseError<LocalFailure> {
    switch self {
    case .anotherInProgress: preconditionFailure("this command makes one payment at a time")
    case .ended(let reason): .ended(reason)
    case .refused(let failure): .body(failure)
    }
  }
}
