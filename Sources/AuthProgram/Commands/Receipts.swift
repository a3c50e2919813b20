import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `receipts`.
struct ReceiptsCommand: CommandBody {
  let page: PageOptions
  let before: Int64?
  let isShort: Bool

  static let command = Command<any CommandBody>(
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
  ) { words in ReceiptsCommand(page: PageOptions(words), before: words[before], isShort: words[shortReceipts]) }

  private static let before = Option.optional(
    "before", "ID", Kinds.receipt, "Show receipts before this one (the next page)")
  private static let shortReceipts = Option.flag(
    "short", "Print the names of the users alone, each once, one on a line")

  /// The latest is first.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try workspace.checkForm(page)
    let times = page.times
    let screen = try await workspace.open(ReceiptsScreen.self)
    let loaded = try await workspace.load(page, on: screen, before: before, number: \.id) {
      (before, limit, lease) throws(BackendError) in
      try screen.page(
        of: workspace.backend, within: times, matching: page.filter, before: before, limit: limit, under: lease)
    }
    let own = screen.session.user.username
    if isShort, !workspace.printer.asJSON { return workspace.names(Receipt.others(loaded.items, than: own)) }
    let notes = loaded.lastOfMore.map {
      [workspace.more(["receipts", "--before", String($0.id)], within: times, page)]
    }
    if page.isCSV {
      let header = ["receipt", "time", "payer", "payee", "amount", "idempotency_key"]
      workspace.printCSV(header, loaded.items.lazy.map(\.csv))
      return Answer(.onlyShows, notes: notes ?? [])
    }
    let lines = loaded.items.isEmpty ? ["No receipts."] : workspace.lines(.receipts(loaded.items, of: own))
    return Answer(
      .onlyShows, lines: workspace.bar("Receipts") + lines,
      [
        "receipts": .array(loaded.items.map(JSON.receipt)), "shown": .integer(Int64(screen.shown)),
        "next_before": loaded.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: notes ?? [])
  }
}

extension Receipt {
  /// A line of CSV.
  fileprivate var csv: String {
    CSV.line([String(id), madeAt.iso8601, payer, payee, amount.description, key])
  }
}
