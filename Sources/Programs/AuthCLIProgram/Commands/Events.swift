import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `events`.
enum EventsCommand {
  static let command = Command<CommandBody>(
    "events", summary: "Show what happened to your account",
    discussion: [
      "An event records a login, a refused attempt or a change of an account. You see those of your account; an "
        + "administrator sees those of all accounts.",
      "Newest first, a page at a time. The last line shows the command for the next page.",
      "--csv and --json give each event its stable name, such as authn_login_fail; --filter finds that name too.",
    ],
    options: PageOptions.options + [beforeEvent],
    examples: [
      "events": "shows the newest events",
      "events --since 8h": "shows the events of the last eight hours",
      "events --filter login --limit 5": "shows the last five events of logins",
      "events --since 2026-01-01 --until 2026-02-01 --csv": "prints the events of a month for a spreadsheet",
      "events --since 2026-01-31T09:30:00Z --limit 1000 --json": "prints the events since that time as JSON",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let beforeEvent = Option.optional(
    "before", "ID", Kinds.event, "Show events before this one (the next page)")

  /// Prints events, the newest first.
  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let page = PageOptions(words: words)
    try workspace.checkForm(page)
    let screen = try await workspace.open(UserScreen.self)
    let shown = try await workspace.load(page, of: "events", before: words[beforeEvent], on: screen, number: \.id) {
      (page, lease) throws(BackendError) in try screen.events(page, at: workspace.backend, under: lease)
    }
    if page.isCSV {
      return workspace.csv(["id", "time", "event", "account", "actor", "session", "detail"], shown) {
        [String($0.id), $0.at.iso8601, $0.name, $0.account, $0.actor, $0.session?.rawValue, $0.detail]
      }
    }
    let lines = shown.items.isEmpty ? ["No events."] : workspace.lines(.events(shown.items))
    return CommandResult(
      .onlyShows, lines: workspace.bar("Events") + lines,
      ["events": .array(shown.items.map(JSON.event)), "next_before": .integer(orNull: shown.next)], notes: shown.notes)
  }
}

extension JSON {
  fileprivate static func event(_ event: Event) -> JSON {
    [
      "id": .integer(event.id), "at": .string(event.at.iso8601), "event": .string(event.name),
      "account": .string(orNull: event.account), "actor": .string(orNull: event.actor),
      "session": .string(orNull: event.session?.rawValue), "detail": .string(orNull: event.detail),
    ]
  }
}

/// The options of a list of receipts or events: its times, its filter, its length and CSV.
struct PageOptions {
  let words: ParsedWords

  /// Only rows that contain this text.
  var filter: String { words[Self.filter] ?? "" }
  var isCSV: Bool { words[Self.csv] }
  /// The maximum number of rows; nil for all, which is the default for CSV.
  var limit: Int? { isCSV && words.origin(of: Options.limit) == .notGiven ? nil : words[Options.limit] }

  static let options: [any DeclaredOption] = [since, until, filter, Options.limit, csv]

  private static let since = Option.optional(
    "since", "WHEN", .moment(),
    "Show only what happened since this time, such as 8h, 1d or 1w (ago), today, yesterday, 2026-01-31, '2026-01-31 09:30' or "
      + "2026-01-31T09:30:00Z; local time, unless a zone is given")
  private static let until = Option.optional(
    "until", "WHEN", .moment(isLater: true),
    "Show only what happened before then; takes the same values as --since, and a day means its start")
  private static let filter = Option.optional(
    "filter", "TEXT", Kinds.text,
    "Show only rows that contain this text in a name, an amount, a number or a detail, ignoring case; times are not "
      + "searched")
  private static let csv = Option.flag(
    "csv", "Print CSV with a header, for spreadsheets (RFC 4180): all rows, unless --limit is given; also with --quiet")

  fileprivate var times: TimeSpan {
    func wallTime(_ time: TypedTime) -> WallTime { WallTime(microseconds: time.microseconds) }
    return TimeSpan(since: words[Self.since].map(wallTime), until: words[Self.until].map(wallTime))
  }

  /// The options of the command for the next page; absolute times, so that it can be run later.
  fileprivate func repeated(within times: TimeSpan) -> [String] {
    func bound(_ flag: String, _ time: WallTime?) -> [String] {
      guard let time else { return [] }
      let microseconds = max(0, time.microseconds)
      let whole = UTCTime(seconds: microseconds / 1_000_000).iso8601
      let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
      return [flag, fraction == "000000" ? whole : "\(whole.dropLast()).\(fraction)Z"]
    }
    return bound("--since", times.since) + bound("--until", times.until)
      + (filter.isEmpty ? [] : ["--filter", filter]) + (isCSV ? ["--csv"] : [])
  }
}

/// The loaded part of a long list: its items, the position where the next page starts if there is
/// one, and a note with the command for it.
typealias Listing<Item> = (items: [Item], next: Int64?, notes: [Hint])

extension Workspace {
  /// Throws if both CSV and JSON are requested.
  func checkForm(_ options: PageOptions) throws(CommandError) {
    if options.isCSV, output.asJSON { throw CommandError(code: .csvNotJSON) }
  }

  /// Loads as many rows as the options request, a page at a time.
  ///
  /// `load` loads a page, and `number` is the position of an item, where the next page starts.
  func load<Item>(
    _ options: PageOptions, of command: String, before: Int64?, on screen: some LiveScreen, number: (Item) -> Int64,
    _ load: (Page, borrowing SessionLease) throws(BackendError) -> LoadedPage<Item>
  ) async throws(CommandError) -> Listing<Item> {
    let times = options.times
    var listing: Listing<Item> = ([], before, [])
    var nextReport = ContinuousClock.now + .seconds(1)
    repeat {
      let page = try await store.search(
        Page(within: times, matching: options.filter, before: listing.next, limit: options.limit ?? 1000),
        of: screen.session,
        reporting: { stop in
          guard ContinuousClock.now >= nextReport else { return }
          output.say("Searched back to \(UTCTime(seconds: stop.at.seconds).local); continuing.")
          nextReport = .now + .seconds(1)
        }, load)
      listing.items += page.items
      listing.next = page.lastOfMore.map(number)
    } while options.limit == nil && listing.next != nil
    if let next = listing.next {
      let words = [command, "--before", String(next)] + options.repeated(within: times)
      listing.notes = [more(words, limit: options.limit ?? Options.pageLength)]
    }
    return listing
  }

  /// The answer with a list as CSV, which `--quiet` also prints, as it prints JSON.
  func csv<Item>(_ header: [String], _ listing: Listing<Item>, _ fields: (Item) -> [String?]) -> CommandResult {
    let lines = [CSV.line(header)] + listing.items.map { CSV.line(fields($0)) }
    return CommandResult(.onlyShows, text: lines.map { $0 + "\n" }.joined(), notes: listing.notes)
  }
}
