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

  static var command: Command<any CommandBody> {
    Command("receipts") {
      .init(
        summary: "List payments made and received",
        discussion: ["Newest first, a page at a time. The last line shows the command for the next page."],
        options: PageOptions.options + [Options.before, Options.shortReceipts],
        examples: [
          .init("receipts", "shows the newest"),
          .init("receipts --limit 100 --json", "prints more of them as JSON"),
          .init("receipts --since 2026-01-01 --until 2026-02-01 --csv", "prints a month for a spreadsheet"),
          .init("receipts --filter bob", "shows the payments from and to bob"),
          .init("receipts --before 42", "shows the page before receipt 42"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        ReceiptsCommand(
          page: try PageOptions(words), before: try words[Options.before], isShort: try words[Options.shortReceipts])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.receipts(page, before: before, isShort: isShort)
  }
}

extension Options {
  fileprivate static let before = Option.optional(
    "before", "ID", Kinds.receipt, "Show receipts before this one (the next page)")
  fileprivate static let shortReceipts = Option.flag(
    "short", "Print the names of the users alone, each once, one on a line")
}

extension Workspace {
  /// `receipts`: payments made and received, the latest first.
  func receipts(_ options: PageOptions, before: Int64?, isShort: Bool) async throws(CommandError) -> Answer {
    try checkForm(options)
    let times = options.times
    let screen = try await open(ReceiptsScreen.self)
    let page = try await load(options, before: before, number: \.id) { (before, limit) throws(CommandError) in
      try await asking { () throws(LeaseError<BackendError>) in
        try screen.page(of: backend, within: times, matching: options.filter, before: before, limit: limit)
      }
    }
    if isShort, !printer.asJSON {
      let own = screen.session.user.username
      var names: [String] = []
      for name in page.items.compactMap({ $0.other(than: own) }) where !names.contains(name) { names.append(name) }
      // The name that is shown of deleted accounts is no user's.
      return Answer(.onlyShows, lines: names.filter { $0 != DeletedAccount.shownName }.map(TextEscaping.escape))
    }
    let notes = page.lastOfMore.map { [more(["receipts", "--before", String($0.id)], within: times, options)] } ?? []
    if options.isCSV {
      printCSV(["receipt", "time", "payer", "payee", "amount", "idempotency_key"], page.items.lazy.map(\.csv))
      return Answer(.onlyShows, notes: notes)
    }
    let table = Table.receipts(page.items, of: screen.session.user.username)
    return Answer(
      .onlyShows,
      lines: bar("Receipts") + (page.items.isEmpty ? ["No receipts."] : lines(table)),
      [
        "receipts": .array(page.items.map(JSON.receipt)), "shown": .integer(Int64(screen.shown)),
        "next_before": page.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: notes)
  }
}

extension Receipt {
  /// A line of CSV.
  fileprivate var csv: String {
    CSV.line([String(id), madeAt.iso8601, payer, payee, amount.description, key])
  }
}
