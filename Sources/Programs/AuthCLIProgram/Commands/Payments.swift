import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `pay AMOUNT --to USER [--idempotency-key KEY]`.
enum PayCommand {
  static let command = Command<CommandBody>(
    "pay", soughtAs: ["send", "transfer"], summary: "Pay another user",
    discussion: [
      "\(Confirmation.ofPassword) A payment is made once and in full, or not at all.",
      "With --idempotency-key you can retry safely: the same payment with the same key is made once, and a retry shows "
        + "the first receipt. The same key with another amount or payee is refused. If the payment was made and the "
        + "receipt could not be printed, the status is 3 and the message says 'paid' with the number of the receipt.",
    ],
    arguments: [amount], options: [payee, idempotencyKey],
    examples: [
      "pay 12.50 --to bob": "pays bob and shows the receipt",
      "pay 3 --to bob --idempotency-key rent-2026-01": "pays once, however often you repeat it",
    ]
  ) { _ in .inWorkspace(run) }

  private static let payee = Option.required("to", "USER", Kinds.payee, "The user to pay")
  private static let idempotencyKey = Option.optional(
    "idempotency-key", "KEY", Kinds.idempotencyKey, "Name this payment, so that a retry does not pay again")
  private static let amount = Argument.required("AMOUNT", Kinds.amount, "The amount, such as 12, 12.5 or 12.50")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let screen = try await workspace.open(PaymentScreen.self, isActivity: false)
    let order = PaymentOrder(amount: words[amount], payee: words[payee], key: words[idempotencyKey])
    let earlier = try await workspace.store.ask(screen.session) { (lease) throws(BackendError) in
      try workspace.backend.earlierPayment(of: order, under: lease)
    }
    // An identical retry gets its receipt before any prompt.
    if let earlier { return await paid(earlier, screen.session, in: workspace) }
    let fresh = try await workspace.makeFresh(screen.session)
    let receipt = try await workspace.store.pay(order, fresh, on: screen, at: workspace.backend)
    return await paid(receipt, fresh.session, in: workspace)
  }

  private static func paid(
    _ receipt: Receipt, _ session: LoggedInSession, in workspace: Workspace
  ) async -> CommandResult {
    let balance = await workspace.readBalance(session)
    let order = "\(receipt.amount) to \(TextEscaping.escape(receipt.payee))"
    let number = "Receipt \(receipt.id)" + (receipt.key.map { ", key '\($0.escaped)'" } ?? "") + "."
    let line =
      receipt.isRepetition
      ? "Paid before: \(order), at \(UTCTime(seconds: receipt.madeAt.seconds).local). \(number) Nothing was paid now."
      : "Paid \(order). \(number)"
    return CommandResult(
      .changed("paid, receipt \(receipt.id)", hint: "See it with: \(run: "receipts")"),
      lines: workspace.bar("Pay") + [line + (balance.map { " You have \($0)." } ?? "")],
      ["receipt": .receipt(receipt), "repeated": .bool(receipt.isRepetition), "balance": .string(orNull: balance)])
  }
}

/// `receipts`.
enum ReceiptsCommand {
  static let command = Command<CommandBody>(
    "receipts", summary: "List payments made and received",
    discussion: ["Newest first, a page at a time. The last line shows the command for the next page."],
    options: PageOptions.options + [before, shortReceipts],
    examples: [
      "receipts": "shows the newest",
      "receipts --limit 100 --json": "prints more of them as JSON",
      "receipts --since 2026-01-01 --until 2026-02-01 --csv": "prints a month for a spreadsheet",
      "receipts --filter bob": "shows the payments from and to bob",
      "receipts --before 42": "shows the page before receipt 42",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let before = Option.optional(
    "before", "ID", Kinds.receipt, "Show receipts before this one (the next page)")
  private static let shortReceipts = Option.flag(
    "short", "Print the names of the users alone, each once, one on a line")

  /// Prints receipts, the newest first.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let page = PageOptions(words: words)
    try workspace.checkForm(page)
    let screen = try await workspace.open(ReceiptsScreen.self)
    let shown = try await workspace.load(page, of: "receipts", before: words[before], on: screen, number: \.id) {
      (page, lease) throws(BackendError) in try screen.page(page, of: workspace.backend, under: lease)
    }
    let own = screen.session.user.username
    if words[shortReceipts], !workspace.output.asJSON {
      return workspace.names(Receipt.others(shown.items, than: own))
    }
    if page.isCSV {
      return workspace.csv(["receipt", "time", "payer", "payee", "amount", "idempotency_key"], shown) {
        [String($0.id), $0.madeAt.iso8601, $0.payer, $0.payee, $0.amount.description, $0.key]
      }
    }
    let lines = shown.items.isEmpty ? ["No receipts."] : workspace.lines(.receipts(shown.items, of: own))
    return CommandResult(
      .onlyShows, lines: workspace.bar("Receipts") + lines,
      [
        "receipts": .array(shown.items.map(JSON.receipt)), "shown": .integer(Int64(screen.shown)),
        "next_before": .integer(orNull: shown.next),
      ],
      notes: shown.notes)
  }
}
