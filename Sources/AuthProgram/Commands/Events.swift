import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `events`.
struct EventsCommand: CommandBody {
  let page: PageOptions
  let before: Int64?

  static let command = Command<any CommandBody>(
    "events", summary: "Show what happened to your account",
    discussion: [
      "Shows your events; an administrator sees those of all accounts. The last line is the newest event.",
      "The first page has the newest events. The command for older events is below it.",
    ],
    options: PageOptions.options + [beforeEvent],
    examples: [
      "events": "shows the newest",
      "events --since 8h": "shows the events of the last eight hours",
      "events --filter login --limit 5": "shows the last five events of logins",
      "events --since 2026-01-01 --until 2026-02-01 --csv": "prints the events of a month for a spreadsheet",
      "events --since 2026-01-31T09:30:00Z --limit 1000 --json": "prints what happened since then as JSON",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { words in EventsCommand(page: PageOptions(words), before: words[beforeEvent]) }

  private static let beforeEvent = Option.optional(
    "before", "ID", Kinds.event, "Show events before this one (the next page)")

  /// The latest is last.
  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try workspace.checkForm(page)
    let times = page.times
    let screen = try await workspace.open(UserScreen.self)
    let loaded = try await workspace.load(page, on: screen, before: before, number: \.id) {
      (before, limit, lease) throws(BackendError) in
      try screen.events(
        at: workspace.backend, within: times, matching: page.filter, before: before, limit: limit, under: lease)
    }
    let events = Array(loaded.items.reversed())
    let notes = loaded.lastOfMore.map { [workspace.more(["events", "--before", String($0.id)], within: times, page)] }
    if page.isCSV {
      workspace.printCSV(["id", "time", "event", "account", "actor", "session", "detail"], events.lazy.map(\.csv))
      return Answer(.onlyShows, notes: notes ?? [])
    }
    return Answer(
      .onlyShows,
      lines: workspace.bar("Events") + (events.isEmpty ? ["No events."] : workspace.lines(.events(events))),
      [
        "events": .array(events.map(JSON.event)), "next_before": loaded.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: notes ?? [])
  }
}

extension JSON {
  fileprivate static func event(_ event: Event) -> JSON {
    [
      "id": .integer(event.id), "at": .string(event.at.iso8601), "event": .string(event.name),
      "account": .string(orNull: event.account), "actor": .string(orNull: event.actor),
      "session": .string(orNull: event.session?.name), "session_hash": .string(orNull: event.session?.hash),
      "detail": .string(orNull: event.detail),
    ]
  }
}

extension Event {
  /// A line of CSV.
  fileprivate var csv: String {
    CSV.line([String(id), at.iso8601, name, account, actor, session?.name ?? session?.hash, detail])
  }
}

extension EventSession {
  /// The name that `sessions revoke` takes.
  fileprivate var name: String? {
    switch self {
    case .named(let id): id.rawValue
    case .hashed: nil
    }
  }

  /// What an old event has in its place.
  fileprivate var hash: String? {
    switch self {
    case .named: nil
    case .hashed(let hash): hash
    }
  }
}
