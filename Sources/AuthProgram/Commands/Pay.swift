import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `pay AMOUNT --to USER [--idempotency-key KEY]`.
struct PayCommand: CommandBody {
  let amount: Amount
  let payee: Username
  let idempotencyKey: IdempotencyKey?

  static let command = Command<any CommandBody>(
    "pay", soughtAs: ["send", "transfer"], summary: "Pay another user",
    discussion: [
      "Needs a password that you entered recently, and asks for it on a terminal. A payment is made once and in full, or "
        + "not at all.",
      "With --idempotency-key you can retry safely: the same payment with the same key is made once, and a retry shows "
        + "the first receipt. The same key with another amount or payee is refused. If the payment was made and the "
        + "receipt could not be printed, the status is 3 and the message says 'paid' with the number of the receipt.",
    ],
    arguments: [amount], options: [payee, idempotencyKey],
    examples: [
      "pay 12.50 --to bob": "pays bob and shows the receipt",
      "pay 3 --to bob --idempotency-key rent-2026-01": "pays once, however often you repeat it",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in
    PayCommand(
      amount: words[amount], payee: words[payee],
      idempotencyKey: words[idempotencyKey])
  }

  private static let payee = Option.required("to", "USER", Kinds.payee, "The user to pay")
  private static let idempotencyKey = Option.optional(
    "idempotency-key", "KEY", Kinds.idempotencyKey,
    "Name this payment, so that a retry does not pay again")

  private static let amount = Argument.required(
    "AMOUNT", Kinds.amount, "The amount, such as 12, 12.5 or 12.50")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(PaymentScreen.self, isActivity: false)
    let order = PaymentOrder(amount: amount, payee: payee, key: idempotencyKey)
    let earlier = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
      try workspace.backend.earlierPayment(of: order, under: lease)
    }
    // An identical retry gets its receipt before anything else is asked for.
    if let earlier { return await paid(earlier, screen.session, in: workspace) }
    let fresh = try await workspace.fresh(screen.session)
    let receipt = try await workspace.store.pay(order, fresh, on: screen, at: workspace.backend)
    return await paid(receipt, fresh.session, in: workspace)
  }

  private func paid(_ receipt: Receipt, _ session: LoggedInSession, in workspace: Workspace) async -> Answer {
    let balance = await workspace.balance(session)
    let order = "\(receipt.amount) to \(TextEscaping.escape(receipt.payee))"
    let line =
      receipt.isRepetition
      ? "Paid before: \(order), at \(UTCTime(seconds: receipt.madeAt.seconds).local). Receipt \(receipt.id). "
        + "Nothing was paid now."
      : "Paid \(order). Receipt \(receipt.id)."
    return Answer(
      .changed("paid, receipt \(receipt.id)", hint: "See it with: \(run: "receipts")"),
      lines: workspace.bar("Pay") + [line + (balance.map { " You have \($0)." } ?? "")],
      [
        "receipt": .receipt(receipt), "repeated": .bool(receipt.isRepetition), "balance": .string(orNull: balance),
      ])
  }
}
