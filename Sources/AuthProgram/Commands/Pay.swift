import AuthBackend
import AuthCore
import CommandLineKit

extension Workspace {
  /// `pay AMOUNT --to USER`: one payment, made once and wholly, or not at all.
  func pay(_ amount: Amount, to payee: String, key: String?) async throws(CommandError) -> Answer {
    let screen = try await open(PaymentScreen.self, isActivity: false)
    let order = try valid { () throws(BackendError) in
      PaymentOrder(
        amount: amount, payee: try Username(payee),
        key: try key.map { (text) throws(BackendError) in try IdempotencyKey(text) })
    }
    // An identical retry gets its receipt before anything else is asked for.
    if let earlier = try await ask(
      screen.session,
      { (lease) throws(BackendError) in
        try backend.earlierPayment(of: order, under: lease)
      })
    {
      return paid(earlier)
    }
    let fresh = try await fresh(screen.session)
    return paid(
      try await asking { () async throws(PaymentError) in
        try await screen.submit(backend.prepare(order, for: fresh))
      })
  }

  private func paid(_ receipt: Receipt) -> Answer {
    let order = "\(receipt.amount) to \(TextEscaping.escape(receipt.payee))"
    let line =
      receipt.isRepetition
      ? "Paid before: \(order), at \(UTCTime(seconds: receipt.madeAt.seconds).local). Receipt \(receipt.id). "
        + "Nothing was paid now."
      : "Paid \(order). Receipt \(receipt.id)."
    return Answer(
      .changed("paid, receipt \(receipt.id)", hint: "The receipts show it."), lines: bar("Pay") + [line],
      ["receipt": .receipt(receipt), "repeated": .bool(receipt.isRepetition)])
  }
}

extension PaymentError: LeasedFailure {
  var leaseError: LeaseError<BackendError> {
    switch self {
    case .anotherInProgress: preconditionFailure("this command makes one payment at a time")
    case .ended(let reason): .ended(reason)
    case .refused(let failure): .body(failure)
    }
  }
}
