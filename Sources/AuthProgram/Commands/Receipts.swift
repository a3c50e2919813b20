import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

/// `receipts`.
struct ReceiptsCommand: WorkspaceCommand {
  let limit: Int
  let before: Int64?

  static var command: Command<any CommandBody> {
    Command("receipts") {
      .init(
        summary: "List payments made and received",
        discussion: ["Newest first, a page at a time. The last line shows the command for the next page."],
        options: [Options.limit, Options.before],
        examples: [
          .init("receipts", "shows the newest"),
          .init("receipts --limit 100 --json", "prints more of them as JSON"),
          .init("receipts --before 42", "shows the page before receipt 42"),
        ],
        statuses: .of(.done, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        ReceiptsCommand(limit: try words[Options.limit], before: try words[Options.before])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.receipts(limit: limit, before: before)
  }
}

extension Options {
  fileprivate static let before = Option.optional(
    "before", "ID", Kinds.receipt, "Show receipts before this one (the next page)")
}

extension Workspace {
  /// `receipts`: payments made and received, the latest first.
  func receipts(limit: Int, before: Int64?) async throws(CommandError) -> Answer {
    let screen = try await open(ReceiptsScreen.self)
    let page = try await asking { () throws(LeaseError<BackendError>) in
      try screen.page(of: backend, before: before, limit: limit)
    }
    let table = Table.receipts(page.items, of: screen.session.user.username)
    return Answer(
      .onlyShows,
      lines: bar("Receipts") + (page.items.isEmpty ? ["No receipts."] : lines(table)),
      [
        "receipts": .array(page.items.map(JSON.receipt)), "shown": .integer(Int64(screen.shown)),
        "next_before": page.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: page.lastOfMore.map { [more("receipts --before \($0.id)", limit: limit)] } ?? [])
  }
}
