import AuthAccounts
import AuthDevice

@testable import AuthCLIProgram
@testable import AuthCore
@testable import AuthFullScreen
@testable import AuthScreens
@testable import CommandLineKit

/// What the tabs of the full-screen program show in stories.
enum AppScenes {
  /// 2026-11-22 00:00:00 UTC.
  static let now: Int64 = 1_795_305_600
  static let zero = WallTime(microseconds: 0)
  static let alice = User(id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .administrator)
  static let users = [
    "alice": alice, "member": User(id: alice.id, username: "alice", displayName: "Alice", role: .member),
    "bob": User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob", role: .member),
    "mallory": User(id: alice.id, username: "mallory", displayName: "\u{1B}[2J\u{202E}evil\r", role: .member),
  ]

  static let provider = "https://id.example.com"

  private static let receipts = {
    // The newest first; the oldest is the credit with which the account was opened.
    let opening = 59
    let names = ["bob", "carol", "dave", "日本語の名前", "erin"]
    func name(_ index: Int) -> String { index == opening ? "opening credit" : names[index % 5] }
    // In the smallest unit; payments of others were smaller at first.
    func change(_ index: Int) -> Int64 {
      if index == opening { return 10_000 }
      return index % 3 == 0 ? index < 20 ? 700 : 400 : -Int64(index % 7) * 100 - 50
    }
    func amount(_ index: Int) -> String { Amount.text(abs(change(index))) }
    // The balance after each one, from the oldest on.
    let balances = (0...opening).reversed().reduce(into: [Int64]()) { $0.append(($0.last ?? 0) + change($1)) }
    let table = Table(
      [.init(title: "TIME", unit: "UTC"), .right("AMOUNT"), .cut("WITH"), .right("RECEIPT")],
      rows: (0...opening).map { index in
        let minute = opening - index
        return [
          "2026-11-21 20:\(minute / 10)\(minute % 10)",
          (change(index) > 0 ? "+" : "-") + amount(index), name(index), "\(160 - index)",
        ]
      })
    return AppPage(
      lines: ["Balance  \(Amount.text(balances.last ?? 0))", ""], columns: table.columns,
      rows: table.rows.enumerated().map { index, cells in
        AppRow(
          id: cells[3], cells, of: table, moments: ["TIME": now],
          letters: [AppLetter(key: "p", label: "pay again", choice: .pay(name(index), amount: amount(index)))])
      },
      loaded: 60, empty: "No receipts.",
      chart: chart(balances))
  }()

  /// Values at equal distances; in the same zone everywhere.
  private static func chart(_ values: [Int64]) -> Chart {
    Chart(
      points: values.enumerated().map { (WallTime(microseconds: Int64($0) * 60_000_000), $1) },
      ends: ("20:00:00", "20:59:00"))
  }

  private static let sessions = (try? Deadlines(clock: BootClock())).map { deadlines in
    let (here, there) = (
      SessionOrigin(terminal: "pts/3", program: "auth-cli", host: nil),
      SessionOrigin(terminal: "pts/0", program: "auth-cli", host: "192.0.2.7")
    )
    let sessions = [session("k1a8rcny9q17", "default", here), session("p7c2m4x0e5ta", "laptop", there)]
    return AppPage.sessions(sessions, of: alice, deadlines).inOneZone
  }

  /// A session without an end; that of this program has a name that starts with k.
  private static func session(
    _ id: String, _ context: String? = nil, _ origin: SessionOrigin? = nil
  ) -> SessionSummary {
    SessionSummary(
      id: SessionID(rawValue: id), isCurrent: id.hasPrefix("k"), label: context, origin: origin, createdAt: zero,
      activeAt: zero, limits: SessionLimits(idle: .never, absolute: .never, fresh: .never))
  }

  /// What happened, as an administrator sees it: the newest first, each with its session.
  private static func events(
    _ happened: [(name: String, session: String?, detail: String?)], _ sessions: [SessionSummary] = []
  ) -> AppPage {
    let events = happened.enumerated().map { index, event in
      Event(
        id: Int64(20 - index), at: zero, name: event.name, account: "alice", actor: "alice",
        session: event.session.map(SessionID.init), detail: event.detail)
    }
    return AppPage.events(LoadedPage(of: AppPage.limit, from: events), sessions, of: alice).inOneZone
  }

  private static let events = events([
    ("authn_login_success", "k1a8rcny9q17", nil),
    ("authn_login_successafterfail", "p7c2m4x0e5ta", "3 failed attempts before"),
    ("session_ended", "p7c2m4x0e5ta", "revoked by the user in another terminal"),
    ("authz_admin", nil, "registration closed"),
  ])

  static let code = OneTimeCode(
    user: User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob", role: .member),
    code: RecoveryCode(typed: Array("k3v9x2ab1c7d3fgh5m8n0pqrs".utf8)), validFor: .seconds(3600))

  /// What a tab loads, by the words of a story.
  static func page(_ words: [String]) -> (AppTab, AppPage)? {
    let (name, words) = (words[0], Array(words.dropFirst()))
    switch name {
    case "receipts": return (.receipts, receipts(words))
    case "sessions": return sessions.map { (.sessions, $0) }
    case "events": return (.events, words.isEmpty ? events : eventsOfSessions)
    case "accounts": return (.accounts, accounts(words.isEmpty ? ["alice:administrator,seen", "bob:locked"] : words))
    case "machine": return (.machine, machine)
    case "claims":
      let rows = [
        ("Name", "Alice"), ("Username", "alice@example.org"), ("email", "alice@example.org"),
        ("evil", "\u{1B}[2J\u{202E}\r\n"), ("scope", #"["openid"]"#),
      ]
      return (.profile, .profile(rows, provider: provider, validUntil: "2026-11-22 01:00:00"))
    case "contexts": return (.contexts, contexts)
    case "profile": return (.profile, profile(hasSecondStep: words == ["with", "step"]))
    case "home":
      let receipts = [receipt(7, from: "alice", to: "bob"), receipt(6, from: "carol"), receipt(5, from: nil)]
      let step = TwoStepState(
        since: words == ["with", "step"] ? zero : nil, isPending: false, recoveryCodes: 0, isRequired: false)
      return (.home, AppPage.home(Profile(user: alice, balance: 10_000, createdAt: zero), receipts, step).inOneZone)
    case "balance":
      let balance = words.first.flatMap { try? Amount($0).minorUnits } ?? 0
      let profile = Profile(user: alice, balance: balance, createdAt: zero)
      return (.pay, .pay(profile, ["bob", "carol", "carl"].map { receipt(1, from: $0) }))
    case _: return nil
    }
  }

  /// Receipts: all, or with some of them left out, or others.
  private static func receipts(_ words: [String]) -> AppPage {
    let (all, word) = (receipts.rows, words.last ?? "")
    switch words.first {
    case "without": return receipts.with(word == "all" ? [] : all.filter { $0.id != word })
    case "before": return receipts.with(Array(all.drop { $0.id != word }))
    case "and": return receipts.with([AppRow(id: word, cells: ["now", "+1.00", "bob", word])] + all)
    case "part": return receipts.with(all, part: "the newest 500")
    // The newest of 1200: one more is loaded to know whether there are more.
    case "first":
      let count = Int(word) ?? 0
      return made((0...count).map { receipt(Int64(2000 - $0), from: 100...101 ~= $0 ? "carol" : "bob") }, of: count)
    case "found":
      return made([1900, 1899].map { receipt($0, from: "carol") }, of: AppPage.limit, query: AppQuery(text: word))
    case _: return receipts
    }
  }

  static func receipt(_ id: Int64, from payer: String?, to payee: String = "alice") -> Receipt {
    Receipt(id: id, payer: payer, payee: payee, amount: Amount(unchecked: 100), madeAt: zero, key: nil)
  }

  private static func made(_ receipts: [Receipt], of limit: Int, query: AppQuery = AppQuery()) -> AppPage {
    let profile = Profile(user: alice, balance: 100, createdAt: zero)
    return AppPage.receipts(LoadedPage(of: limit, from: receipts), of: profile, query: query).inOneZone
  }

  private static func profile(hasSecondStep: Bool) -> AppPage {
    let step = TwoStepState(since: hasSecondStep ? zero : nil, isPending: false, recoveryCodes: 9, isRequired: false)
    let page = AppPage.profile(Profile(user: alice, balance: 6250, createdAt: zero), step)
    return page.with(page.rows.filter { $0.id != "Since" })
  }

  /// Events of the present session, of another one, and of one that is over.
  private static let eventsOfSessions = events(
    ["k3v9", "p7c2", "over"].map { ("login", $0, nil) }, [session("k3v9"), session("p7c2")])

  /// Accounts such as `bob:disabled`, with the rules and the query after them.
  private static func accounts(_ words: [String]) -> AppPage {
    let names = words.filter { !$0.contains("=") && $0 != "more" }.map { $0.split(separator: ":").map(String.init) }
    let summaries = names.map { parts in
      let (name, facts) = (parts[0], parts.dropFirst().joined())
      return AccountSummary(
        user: User(
          id: UserID(rawValue: name), username: name, displayName: ["alice": "Alice", "bob": "Bob 王"][name] ?? "Al",
          role: facts.contains("administrator") ? .administrator : .member),
        isDisabled: facts.contains("disabled"), createdAt: zero, failedAttempts: facts.contains("failed") ? 1 : 0,
        throttle: facts.contains("locked") ? .locked : nil, lastLoginAt: facts.contains("seen") ? zero : nil)
    }
    let text = words.first { $0.hasPrefix("query=") }.map { String($0.dropFirst(6)) } ?? ""
    return AppPage.accounts(
      LoadedPage(of: names.count - (words.contains("more") ? 1 : 0), from: summaries),
      words.contains("registration=closed") ? .closed : .open, words.contains("step=required") ? .required : .optional,
      query: AppQuery(text: text, order: words.contains("order=lastLogin") ? .lastLogin : .name)
    ).inOneZone
  }

  private static let contexts = {
    let login = ContextLogin.user(ProviderSettings(issuer: provider, clientID: "cli", scopes: [], parameters: [:]))
    let names = ["default", "personal", "work"].compactMap { ContextName($0) }
    return AppPage.contexts(
      [(names[0], .atProvider(login, nil)), (names[1], .elsewhere), (names[2], .atProvider(login, nil))],
      current: names[0])
  }()

  private static let machine = {
    let steps = [
      MachineStep(event: "restore", from: .restoring, to: .restoring, answer: .transition),
      MachineStep(event: "restored", from: .restoring, to: .loggedOut, answer: .transition),
      MachineStep(event: "renew", from: .loggedOut, to: .loggedOut, answer: .rejected(.notLoggedIn)),
      MachineStep(event: "logIn", from: .loggedOut, to: .authenticating, answer: .transition),
      MachineStep(event: "answered", from: .authenticating, to: .authenticating, answer: .transition),
      MachineStep(event: "saved", from: .authenticating, to: .loggedIn, answer: .transition),
      MachineStep(event: "renew", from: .loggedIn, to: .loggedIn, answer: .ignored(.renewedRecently)),
    ]
    return AppPage(
      machine: MachineView(
        present: .loggedIn, events: MachineTable.shipped.events(from:to:),
        steps: steps.enumerated().map { ($1, "20:59:0\($0)") }))
  }()

  /// What was done, and what follows by the words of a story.
  static func outcome(_ done: String, then next: String?) -> AppResult {
    switch next {
    case "a code": AppResult(done: done, page: .code(code))
    case "codes": AppResult(done: done, page: .codes((0..<10).map { "k3v9\($0)-2ab1c-7d3fg-h5m8n-0pqrs" }))
    case "a secret":
      AppResult(
        done: done, form: .confirmTwoStep(AppSecret(text: "JBSWY3DP", picture: [], note: QRCode.missing)))
    case "a picture": AppResult(done: done, form: .confirmTwoStep(secretWithPicture))
    case "a question":
      AppResult(
        done: done,
        question: AppQuestion(
          text: "End your 2 other sessions? They started without a code.", action: .change(.revokeOthers)))
    case _: AppResult(done: done)
    }
  }

  private static let secretWithPicture = AppSecret(
    text: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", picture: Array(repeating: String(repeating: "█", count: 37), count: 19))

  /// What the rows of Home and of the Profile tab offer, by the words of a story.
  static let choices: [String: AppChoice] = [
    "delete": .fill(.deleteAccount("alice", isOwn: true)), "make codes": .perform(.change(.makeRecoveryCodes)),
    "begin step": .perform(.change(.beginTwoStep)), "end step": .fill(.endTwoStep),
  ]
}

extension AppState {
  /// Presses the keys of a text: ⏎ Enter, ⎋ Esc, ⇥ Tab and ⇤ Shift-Tab, ⌫ ⌦, the
  /// arrows, ⇱ ⇲ Home and End, ⇞ ⇟ Page Up and Down, ▲ ▼ the wheel, ⍰ F1, and `^`
  /// before a letter is Control.
  ///
  /// - Returns: The effects of the keys.
  @discardableResult
  func press(_ text: String) -> [AppEffect] {
    let named: [Unicode.Scalar: Key] = [
      "⏎": .enter, "⎋": .escape, "⇥": .tab, "⇤": .backTab, "⌫": .backspace, "⌦": .delete, "↑": .up, "↓": .down,
      "←": .left, "→": .right, "⇱": .home, "⇲": .end, "⇞": .pageUp, "⇟": .pageDown, "▲": .scrollUp,
      "▼": .scrollDown, "⍰": .help,
    ]
    var isControl = false
    return text.unicodeScalars.flatMap { scalar in
      defer { isControl = scalar == "^" }
      if scalar == "^" { return [AppEffect]() }
      return update(.key(isControl ? .control(scalar) : named[scalar] ?? .character(scalar)))
    }
  }

  /// Takes in what happened at the present moment.
  func update(_ message: AppMessage) -> [AppEffect] { update(message, at: now) }
}

extension AppPage {
  /// The same with times that are the same in every zone.
  fileprivate var inOneZone: AppPage {
    var page = self
    let isTime = columns.map { $0.unit != nil }
    for column in columns.indices where isTime[column] { page.columns[column].unit = "UTC" }
    page.rows = rows.map { row in
      let cells = row.cells.enumerated().map { column, cell in
        row.cells.count > 1 && column < isTime.count && isTime[column]
          ? String("2026-11-21 20:30:00".prefix(cell.utf8.count)) : cell
      }
      return AppRow(id: row.id, cells: cells, choice: row.choice, menu: row.menu?.inOneZone, letters: row.letters)
    }
    let moments = [
      "Since 2026-11-21 20:00", "Last login 2026-11-21 20:00", "TIME (UTC)  2026-11-21 20:30:00",
      "ACTIVE (UTC)  2026-11-21 20:30", "BEGAN (UTC)   2026-11-21 20:30",
    ]
    page.lines = lines.map { line in moments.first { line.hasPrefix($0.prefix(6)) } ?? line }
    (page.moments, page.chart) = ([:], nil)
    return page
  }

  /// The same with other rows, or a word about what part of a list they are.
  fileprivate func with(_ rows: [AppRow], part: String? = nil) -> AppPage {
    var page = self
    (page.rows, page.part, page.loaded) = (rows, part, rows.count)
    return page
  }
}
