import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// What shapes a page of receipts or events: from when, until when, in which form.
struct PageOptions: Hashable, Sendable {
  let since: Moment?
  let until: Moment?
  /// Only rows that contain this text.
  let filter: String
  /// How many at most; nil for all, which is for CSV.
  let limit: Int?
  let isCSV: Bool

  init(_ words: ParsedWords) {
    since = words[Self.since]
    until = words[Self.until]
    filter = words[Self.filter] ?? ""
    isCSV = words[Self.csv]
    limit = isCSV && words.origin(of: Options.limit) == .notGiven ? nil : words[Options.limit]
  }

  static let options: [any DeclaredOption] = [since, until, filter, Options.limit, csv]

  private static let since = Option.optional(
    "since", "WHEN", .moment(),
    "Show only what happened since then: 8h, 1d or 1w (ago), today, yesterday, 2026-01-31, '2026-01-31 09:30' or "
      + "2026-01-31T09:30:00Z; without a zone it is the one that times are shown in")
  private static let until = Option.optional(
    "until", "WHEN", .moment(),
    "Show only what happened before then; takes the same values as --since, and a day means its start")
  private static let filter = Option.optional(
    "filter", "TEXT", Kinds.text,
    "Show only rows that contain this text in a name, an amount, a number or a detail, in any case; times do not "
      + "count")
  private static let csv = Option.flag(
    "csv", "Print CSV with a header, for spreadsheets (RFC 4180): all rows, unless --limit is given; also with --quiet")

  /// The time as the clock is now.
  var times: TimeSpan { TimeSpan(since: since?.wallTime, until: until?.wallTime) }
}

extension Moment {
  /// For a moment that is some time ago, a whole second.
  fileprivate var wallTime: WallTime {
    WallTime(microseconds: microseconds(now: WallTime.now().seconds * 1_000_000))
  }
}

extension Workspace {
  /// Refuses what cannot be printed in two forms at once.
  func checkForm(_ options: PageOptions) throws(CommandError) {
    guard options.isCSV, globals.json else { return }
    throw CommandError(code: .csvNotJSON)
  }

  /// The command for the next page, which covers the same times however late it is given.
  func more(_ command: [String], within times: TimeSpan, _ options: PageOptions) -> Hint {
    func bound(_ flag: String, _ time: WallTime?) -> [String] {
      guard let time else { return [] }
      let microseconds = max(0, time.microseconds)
      let whole = UTCTime(seconds: microseconds / 1_000_000).iso8601
      let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
      return [flag, fraction == "000000" ? whole : "\(whole.dropLast()).\(fraction)Z"]
    }
    return more(
      command + bound("--since", times.since) + bound("--until", times.until)
        + (options.filter.isEmpty ? [] : ["--filter", options.filter]) + (options.isCSV ? ["--csv"] : []),
      limit: options.limit ?? Options.pageLength)
  }

  /// Loads as many as the options ask for, a page at a time.
  ///
  /// `load` loads a page, and `number` is what the page after an item is before.
  func load<Item>(
    _ options: PageOptions, on screen: some LiveScreen, before: Int64?, number: (Item) -> Int64,
    _ load: (_ before: Int64?, _ limit: Int, borrowing SessionLease) throws(BackendError) -> Page<Item>
  ) async throws(CommandError) -> Page<Item> {
    var items: [Item] = []
    var next = before
    while true {
      let page = try await ask(screen.session) { (lease) throws(BackendError) in
        try load(next, options.limit ?? 1000, lease)
      }
      items += page.items
      guard options.limit == nil, let last = page.lastOfMore else {
        return Page(items: items, lastOfMore: page.lastOfMore)
      }
      next = number(last)
    }
  }

  /// Prints CSV, also with `--quiet`: it is nothing but the result, as JSON is.
  func printCSV(_ header: [String], _ rows: some Sequence<String>) {
    printer.streams.output.writeLine(CSV.line(header))
    for row in rows { printer.streams.output.writeLine(row) }
  }
}

/// A part of a long list, and whether the list goes on.
struct Page<Item> {
  /// What is shown.
  let items: [Item]
  /// The last item shown, if there are more after it.
  let lastOfMore: Item?

  init(items: [Item], lastOfMore: Item?) {
    self.items = items
    self.lastOfMore = lastOfMore
  }

  /// Takes a page out of what was loaded for it: one item more than fits, if there are so many.
  init(of limit: Int, from loaded: [Item]) {
    items = Array(loaded.prefix(limit))
    lastOfMore = loaded.count > limit ? items.last : nil
  }
}
