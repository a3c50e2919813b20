import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `pay AMOUNT --to USER [--idempotency-key KEY]`.
struct PayCommand: CommandBody {
  let amount: Amount
  let payee: String
  let idempotencyKey: String?

  static var command: Command<any CommandBody> {
    Command("pay", soughtAs: ["send", "transfer"]) {
      .init(
        summary: "Pay another user",
        discussion: [
          "Needs a password that you entered recently, and asks for it on a terminal. A payment is made once and in full, or "
            + "not at all.",
          "With --idempotency-key you can retry safely: the same payment with the same key is made once, and a retry shows "
            + "the first receipt. The same key with another amount or payee is refused. If the payment was made and the "
            + "receipt could not be printed, the status is 3 and the message says 'paid' with the number of the receipt.",
        ],
        arguments: [Arguments.amount], options: [Options.payee, Options.idempotencyKey],
        examples: [
          .init("pay 12.50 --to bob", "pays bob and shows the receipt"),
          .init("pay 3 --to bob --idempotency-key rent-2026-01", "pays once, however often you repeat it"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        PayCommand(
          amount: try words[Arguments.amount], payee: try words[Options.payee],
          idempotencyKey: try words[Options.idempotencyKey])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.pay(amount, to: payee, key: idempotencyKey)
  }
}

extension Arguments {
  fileprivate static let amount = Argument.required(
    "AMOUNT", Kinds.amount, "The amount, such as 12, 12.5 or 12.50")
}

extension Options {
  fileprivate static let payee = Option.required("to", "USER", Kinds.payee, "The user to pay")
  fileprivate static let idempotencyKey = Option.optional(
    "idempotency-key", "KEY", Kinds.idempotencyKey,
    "Name this payment, so that a retry does not pay again")
}

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
      return await paid(earlier, screen.session)
    }
    let fresh = try await fresh(screen.session)
    return await paid(try await store.pay(order, fresh, on: screen, at: backend), fresh.session)
  }

  private func paid(_ receipt: Receipt, _ session: LoggedInSession) async -> Answer {
    let balance = await balance(session)
    let order = "\(receipt.amount) to \(TextEscaping.escape(receipt.payee))"
    let line =
      receipt.isRepetition
      ? "Paid before: \(order), at \(UTCTime(seconds: receipt.madeAt.seconds).local). Receipt \(receipt.id). "
        + "Nothing was paid now."
      : "Paid \(order). Receipt \(receipt.id)."
    return Answer(
      .changed("paid, receipt \(receipt.id)", hint: "See it with: \(run: "receipts")"),
      lines: bar("Pay") + [line + (balance.map { " You have \($0)." } ?? "")],
      [
        "receipt": .receipt(receipt), "repeated": .bool(receipt.isRepetition), "balance": .string(orNull: balance),
      ])
  }
}

extension PaymentError: LeasedFailure {
  var leaseError: LeaseError<BackendError> {
    switch self {
    case .anotherInProgress: preconditionFailure("one payment is made at a time")
    case .ended(let reason): .ended(reason)
    case .refused(let failure): .body(failure)
    }
  }
}
