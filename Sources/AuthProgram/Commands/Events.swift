import AuthBackend
import AuthCore
import AuthLocal
import CommandLineKit
import TextFormat

/// `events`.
struct EventsCommand: WorkspaceCommand {
  let since: Moment?
  let limit: Int
  let before: Int64?

  static var command: Command<any CommandBody> {
    Command("events") {
      .init(
        summary: "Show what happened to your account",
        discussion: [
          "Shows your events; an administrator sees those of all accounts. The newest event is the last line.",
          "The first page has the newest events. Below it is the command for the page before.",
        ],
        options: [Options.since, Options.limit, Options.beforeEvent],
        examples: [
          .init("events", "shows the newest"),
          .init("events --since 8h", "shows the events of the last eight hours"),
          .init("events --since 2026-01-31T09:30:00Z --limit 1000 --json", "prints what happened since then as JSON"),
        ],
        statuses: .of(.done, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        EventsCommand(
          since: try words[Options.since], limit: try words[Options.limit], before: try words[Options.beforeEvent])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    try await workspace.events(since: since, limit: limit, before: before)
  }
}

extension Options {
  fileprivate static let beforeEvent = Option.optional(
    "before", "ID", Kinds.event, "Show events before this one (the next page)")
  fileprivate static let since = Option.optional(
    "since", "WHEN", .moment(),
    "Show events since then: 8h, 1d or 1w (ago), 2026-01-31 (in UTC), 2026-01-31T09:30:00Z or "
      + "2026-01-31T10:30:00+01:00")
}

extension Workspace {
  /// `events`: what happened, the latest last.
  func events(since: Moment?, limit: Int, before: Int64?) async throws(CommandError) -> Answer {
    let since = since.map(\.wallTime)
    let screen = try await open(EventsScreen.self)
    let page = try await asking { () throws(LeaseError<BackendError>) in
      try screen.page(of: backend, since: since, before: before, limit: limit)
    }
    let events = Array(page.items.reversed())
    return Answer(
      .onlyShows,
      lines: bar("Events") + (events.isEmpty ? ["No events."] : lines(.events(events))),
      [
        "events": .array(
          events.map { event in
            .members([
              "id": .integer(event.id), "at": .string(event.at.iso8601), "event": .string(event.name),
              "account": .string(orNull: event.account), "actor": .string(orNull: event.actor),
              "session": .string(orNull: event.session?.name),
              "session_hash": .string(orNull: event.session?.hash), "detail": .string(orNull: event.detail),
            ])
          }),
        "next_before": page.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: page.lastOfMore.map { [earlier(than: $0, since: since, limit: limit)] } ?? [])
  }

  /// The command for the page before, which begins at the same moment however late it is given.
  private func earlier(than event: Event, since: WallTime?, limit: Int) -> String {
    let bound = since.map { " --since \(UTCTime(seconds: max(0, $0.seconds)).iso8601)" } ?? ""
    return more("events --before \(event.id)\(bound)", limit: limit)
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

  /// For people: what is no name of a session is marked.
  var shown: String {
    switch self {
    case .named(let id): id.rawValue
    case .hashed(let hash): "\(hash) (old form)"
    }
  }
}

extension Moment {
  fileprivate var wallTime: WallTime {
    switch self {
    case .ago(let duration): WallTime(microseconds: (WallTime.now().seconds - duration.wholeSeconds) * 1_000_000)
    case .at(let seconds): WallTime(microseconds: seconds * 1_000_000)
    }
  }
}
