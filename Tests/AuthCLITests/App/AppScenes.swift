import AuthBackend
import AuthCore
import CommandLineKit

@testable import AuthProgram

/// What the tabs of the full-screen program show in stories.
enum AppScenes {
  /// 2026-11-22 00:00:00 UTC.
  static let now: Int64 = 1_795_305_600
  static let alice = User(
    id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .administrator)

  private static let receipts = {
    var table = Table([
      .init(title: "TIME", unit: "UTC"), .init(title: "AMOUNT", alignment: .right),
      .init(title: "WITH", mayBeCut: true), .init(title: "RECEIPT", alignment: .right),
    ])
    // The newest first; the oldest is the credit with which the account was opened.
    let opening = 59
    let names = ["bob", "carol", "dave", "日本語の名前", "erin"]
    func name(_ index: Int) -> String { index == opening ? "opening credit" : names[index % 5] }
    func amount(_ index: Int) -> String {
      index == opening ? "100.00" : index % 3 == 0 ? "7.00" : "\(index % 7).50"
    }
    for index in 0...opening {
      let minute = opening - index
      table.add([
        "2026-11-21 20:\(minute / 10)\(minute % 10)",
        (index == opening || index % 3 == 0 ? "+" : "-") + amount(index), name(index), "\(160 - index)",
      ])
    }
    return AppPage(
      lines: ["Balance  62.50", ""], columns: table.columns,
      rows: table.rows.enumerated().map { index, cells in
        AppRow(
          id: cells[3], cells, of: table, moments: ["TIME": now],
          letters: [AppLetter("p", "pay again", .pay(name(index), amount: amount(index)))])
      },
      loaded: 60, empty: "No receipts.",
      chart: chart([10_000, 9_350, 9_350, 8_600, 9_300, 9_050, 8_000, 7_150, 7_850, 7_100, 6_250]))
  }()

  /// Values at equal distances; in the same zone everywhere.
  private static func chart(_ values: [Int64]) -> Chart {
    Chart(
      values.enumerated().map { Chart.Point(at: WallTime(microseconds: Int64($0) * 60_000_000), value: $1) },
      ends: ("20:00:00", "20:59:00"))
  }

  private static let sessions = {
    var table = Table([
      .init(title: "SESSION"), .init(title: ""), .init(title: "ENDS IN", alignment: .right),
      .init(title: "ACTIVE", unit: "UTC"), .init(title: "CONTEXT", mayBeCut: true),
      .init(title: "FROM", mayBeCut: true), .init(title: "BEGAN", unit: "UTC"),
    ])
    table.add([
      "k1a8rcny9q17", "this one", "29 min", "2026-11-21 19:58", "default", "pts/3, auth-cli", "2026-11-21 19:58",
    ])
    table.add([
      "p7c2m4x0e5ta", "", "12 min", "2026-11-21 18:41", "laptop", "pts/0, auth-cli, from 192.0.2.7",
      "2026-11-21 18:30",
    ])
    let end = AppQuestion(
      "End session p7c2m4x0e5ta? Whoever uses it must log in again.", .revoke(SessionID(rawValue: "p7c2m4x0e5ta")))
    return AppPage(
      columns: table.columns,
      rows: zip(table.rows, [AppLetter("e", "log out", .ask(.logOut)), AppLetter("e", "end the session", .ask(end))])
        .map { AppRow(id: $0[0], $0, of: table, letters: [$1]) },
      empty: "No sessions.")
  }()

  /// What happened, as an administrator sees it; in the same zone everywhere.
  private static let events = {
    let happened: [(String, String?, String?)] = [
      ("authn_login_success", "k1a8rcny9q17", nil),
      ("authn_login_successafterfail", "p7c2m4x0e5ta", "3 failed attempts before"),
      ("session_ended", "p7c2m4x0e5ta", "revoked by the user in another terminal"),
      ("authz_admin", nil, "registration closed"),
    ]
    let page = AppPage.events(
      Page(
        of: AppPage.limit,
        from: happened.enumerated().map { index, event in
          Event(
            id: Int64(20 - index), at: WallTime(microseconds: now * 1_000_000), name: event.0, account: "alice",
            actor: "alice",
            session: event.1.map { .named(SessionID(rawValue: $0)) }, detail: event.2)
        }), [])
    let rows = page.rows.enumerated().map {
      AppRow(
        id: $1.id, cells: ["2026-11-21 20:00:0\(9 - $0)"] + $1.cells.dropFirst(), menu: $1.menu, letters: $1.letters)
    }
    return page.with(rows, columns: [.init(title: "TIME", unit: "UTC")] + page.columns.dropFirst())
  }()

  /// Alice, and bob, who is locked out; in the same zone everywhere.
  private static let accounts = {
    let users = [alice, User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob 王", role: .member)]
    let summaries = users.map {
      AccountSummary(
        user: $0, isDisabled: false, createdAt: WallTime(microseconds: 0), failedAttempts: $0 == alice ? 0 : 101,
        throttle: $0 == alice ? nil : .locked)
    }
    let page = AppPage.accounts(Page(of: AppPage.limit, from: summaries), .open, .optional)
    let rows = page.rows.map {
      $0.cells.count == 1
        ? $0
        : AppRow(
          id: $0.id,
          cells: $0.cells.dropLast() + [$0.id == "bob" ? "" : "2026-11-21 20:30"],
          menu: $0.menu?.since("2026-11-21 20:00"), letters: $0.letters)
    }
    return page.with(
      rows,
      columns: page.columns.dropLast() + [.init(title: "LAST LOGIN", unit: "UTC")])
  }()

  static let code = OneTimeCode(
    user: User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob", role: .member),
    code: RecoveryCode(typed: Array("k3v9x2ab1c7d3fgh5m8n0pqrs".utf8)), validFor: .seconds(3600))

  private static let codes = AppInterruption.codes((0..<10).map { "k3v9\($0)-2ab1c-7d3fg-h5m8n-0pqrs" })

  /// What a tab loads, by the words of a story.
  static func page(_ words: [String]) -> (AppTab, AppPage)? {
    let (name, words) = (words[0], Array(words.dropFirst()))
    switch name {
    case "receipts": return (.receipts, receipts(words))
    case "sessions": return (.sessions, sessions)
    case "events": return (.events, words.isEmpty ? events : eventsOfSessions)
    case "accounts": return (.accounts, words.isEmpty ? accounts : accounts(words))
    case "machine": return (.machine, machine)
    case "profile": return (.profile, profile(hasSecondStep: words == ["with", "step"]))
    case "balance":
      let balance = words.first.flatMap { try? Amount($0).minorUnits } ?? 0
      return (
        .pay,
        AppPage(
          lines: ["Your balance is \(Amount.text(balance))."], balance: balance, names: ["bob", "carol", "carl"])
      )
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
    Receipt(
      id: id, payer: payer, payee: payee, amount: Amount(unchecked: 100), madeAt: WallTime(microseconds: 0), key: nil)
  }

  private static func made(_ receipts: [Receipt], of limit: Int, query: AppQuery = AppQuery()) -> AppPage {
    let profile = Profile(user: alice, balance: 100, createdAt: WallTime(microseconds: 0))
    return AppPage.receipts(Page(of: limit, from: receipts), of: profile, query: query).inOneZone
  }

  private static func profile(hasSecondStep: Bool) -> AppPage {
    let step = TwoStepState(
      since: hasSecondStep ? WallTime(microseconds: 0) : nil, isPending: false, recoveryCodes: 9, isRequired: false)
    let page = AppPage.profile(Profile(user: alice, balance: 6250, createdAt: WallTime(microseconds: 0)), step)
    return page.with(page.rows.filter { $0.id != "Since" })
  }

  /// Events of the present session, of another one, and of one that is over.
  private static let eventsOfSessions = {
    let sessions = ["k3v9", "p7c2"].map { id in
      SessionSummary(
        id: SessionID(rawValue: id), isCurrent: id == "k3v9", label: nil, createdAt: WallTime(microseconds: 0),
        activeAt: WallTime(microseconds: 0), limits: SessionLimits(idle: .never, absolute: .never, fresh: .never))
    }
    let events = ["k3v9", "p7c2", "over"].enumerated().map { index, id in
      Event(
        id: Int64(index), at: WallTime(microseconds: 0), name: "login", account: "alice", actor: nil,
        session: .named(SessionID(rawValue: id)), detail: nil)
    }
    return AppPage.events(Page(of: AppPage.limit, from: events), sessions).inOneZone
  }()

  /// Accounts such as `bob:disabled`, with the rules and the query after them.
  private static func accounts(_ words: [String]) -> AppPage {
    let names = words.filter { !$0.contains("=") && $0 != "more" }.map { $0.split(separator: ":").map(String.init) }
    let summaries = names.map { parts in
      let facts = parts.dropFirst().joined()
      return AccountSummary(
        user: User(
          id: UserID(rawValue: parts[0]), username: parts[0], displayName: "Al",
          role: facts.contains("administrator") ? .administrator : .member),
        isDisabled: facts.contains("disabled"), createdAt: WallTime(microseconds: 0),
        failedAttempts: facts.contains("failed") ? 1 : 0, throttle: nil)
    }
    let text = words.first { $0.hasPrefix("query=") }.map { String($0.dropFirst(6)) } ?? ""
    return AppPage.accounts(
      Page(of: names.count - (words.contains("more") ? 1 : 0), from: summaries),
      words.contains("registration=closed") ? .closed : .open, words.contains("step=required") ? .required : .optional,
      query: AppQuery(text: text, order: words.contains("order=lastLogin") ? .lastLogin : .name)
    ).inOneZone
  }

  private static let machine = {
    let steps = [
      MachineStep(event: "restore", from: .restoring, to: .restoring, answer: .transition),
      MachineStep(event: "restored", from: .restoring, to: .loggedOut, answer: .transition),
      MachineStep(event: "renew", from: .loggedOut, to: .loggedOut, answer: .rejected(.notLoggedIn)),
      MachineStep(event: "logIn", from: .loggedOut, to: .authenticating, answer: .transition),
      MachineStep(event: "authenticated", from: .authenticating, to: .authenticating, answer: .transition),
      MachineStep(event: "saved", from: .authenticating, to: .loggedIn, answer: .transition),
      MachineStep(event: "renew", from: .loggedIn, to: .loggedIn, answer: .ignored(.renewedRecently)),
    ]
    let times = steps.indices.map { "20:59:0\($0)" }
    return AppPage(machine: MachineView(present: .loggedIn, table: .shipped, steps: steps, times: times))
  }()

  /// What follows an action, by the words of a story.
  static let followUps: [String: AppOutcome.Next] = [
    "a code": .show(.code(code)), "codes": .show(codes),
    "a secret": .fill(.confirmTwoStep(AppSecret(text: "JBSWY3DP", picture: []))),
    "a picture": .fill(
      .confirmTwoStep(
        AppSecret(
          text: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
          picture: Array(repeating: String(repeating: "█", count: 37), count: 19)))),
    "a question": .ask(AppQuestion("End your 2 other sessions? They started without a code.", .revokeOthers)),
  ]

  /// What the rows of Home and of the Profile tab offer, by the words of a story.
  static let choices: [String: AppChoice] = [
    "delete": .fill(.deleteOwnAccount("alice")), "make codes": .perform(.makeRecoveryCodes),
    "begin step": .perform(.beginTwoStep), "end step": .fill(.endTwoStep),
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
    return text.unicodeScalars.compactMap { scalar in
      defer { isControl = scalar == "^" }
      if scalar == "^" { return nil }
      return update(.key(isControl ? .control(scalar) : named[scalar] ?? .character(scalar)))
    }
  }

  /// Takes in what happened at the present moment.
  func update(_ message: AppMessage) -> AppEffect? { update(message, at: now) }
}

extension AppPage {
  /// The same menu of an account with this time, which is in the same zone everywhere.
  fileprivate func since(_ time: String) -> AppPage {
    AppPage(lines: lines.map { $0.hasPrefix("Since ") ? "Since " + time : $0 }, rows: rows)
  }

  /// The same with times that are the same in every zone.
  fileprivate var inOneZone: AppPage {
    let isTime = columns.map { $0.unit != nil }
    let rows = rows.map { row in
      let cells = zip(row.cells, isTime + row.cells.map { _ in false })
        .map { $1 && !$0.isEmpty ? "2026-11-21 20:30" : $0 }
      return AppRow(
        id: row.id, cells: cells, choice: row.choice, menu: row.menu?.since("2026-11-21 20:00"), letters: row.letters)
    }
    return AppPage(
      lines: lines,
      columns: columns.map {
        .init(title: $0.title, alignment: $0.alignment, unit: $0.unit.map { _ in "UTC" }, mayBeCut: $0.mayBeCut)
      },
      rows: rows, part: part, loaded: loaded, query: query, empty: empty)
  }

  /// The same with other rows, columns, or a word about what part of a list they are.
  fileprivate func with(_ rows: [AppRow], columns: [Table.Column]? = nil, part: String? = nil) -> AppPage {
    AppPage(
      lines: lines, columns: columns ?? self.columns, rows: rows, part: part, loaded: rows.count, empty: empty,
      chart: chart)
  }
}
