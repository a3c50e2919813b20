import AuthBackend
import AuthCore
import CommandLineKit

@testable import AuthProgram

/// States of the full-screen program, as tests and pictures want them.
enum AppScenes {
  /// 2026-11-22 00:00:00 UTC.
  static let now: Int64 = 1_795_305_600
  static let alice = User(
    id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .administrator)

  static func loggedOut(_ columns: Int = 80, _ rows: Int = 24) -> AppState {
    let state = AppState(columns: columns, rows: rows, epoch: now)
    _ = state.update(.looked(nil))
    return state
  }

  static func loggedIn(_ columns: Int = 80, _ rows: Int = 24, as user: User = alice) -> AppState {
    let state = loggedOut(columns, rows)
    _ = state.update(.button(.logOut(user)))
    return state
  }

  static let receipts = {
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
      rows: (0..<60).map { index in
        AppRow(
          id: "\(160 - index)", of: table, index, moments: ["TIME": now],
          letters: [AppLetter("p", "pay again", .pay(name(index), amount: amount(index)))],
          copying: "\(160 - index)")
      },
      loaded: 60, empty: "No receipts.",
      chart: chart([10_000, 9_350, 9_350, 8_600, 9_300, 9_050, 8_000, 7_150, 7_850, 7_100, 6_250]))
  }()

  /// Values at equal distances; in the same zone everywhere.
  static func chart(_ values: [Int64]) -> Chart {
    Chart(
      values.enumerated().map { Chart.Point(at: WallTime(microseconds: Int64($0) * 60_000_000), value: $1) },
      ends: ("20:00:00", "20:59:00"))
  }

  static func showingReceipts(_ columns: Int = 80, _ rows: Int = 24) -> AppState {
    let state = loggedIn(columns, rows)
    state.type("3")
    _ = state.update(.loaded(.receipts, .success(receipts)))
    return state
  }

  static let sessions = {
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
      rows: [
        AppRow(
          id: "k1a8rcny9q17", of: table, 0, letters: [AppLetter("e", "log out", .ask(.logOut))], copying: "k1a8rcny9q17"
        ),
        AppRow(
          id: "p7c2m4x0e5ta", of: table, 1, letters: [AppLetter("e", "end the session", .ask(end))],
          copying: "p7c2m4x0e5ta"),
      ], empty: "No sessions.")
  }()

  /// What happened, as an administrator sees it; in the same zone everywhere.
  static let events = {
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
  static let accounts = {
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

  /// What the Machine tab says after a renewal that came too soon.
  static func machineWords(width: Int) -> [String] {
    let step = MachineStep(event: "renew", from: .loggedIn, to: .loggedIn, answer: .ignored(.renewedRecently))
    let view = MachineView(present: .loggedIn, table: .shipped, steps: [step])
    return view.words(width: width, height: 24).map(\.text)
  }

  static func showingAccounts(_ columns: Int = 80, _ rows: Int = 24, below: Int = 0) -> AppState {
    let state = loggedIn(columns, rows)
    state.type("8")
    _ = state.update(.loaded(.accounts, .success(accounts)))
    for _ in 0..<below { state.type("↓") }
    return state
  }

  static let code = OneTimeCode(
    user: User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob", role: .member),
    code: RecoveryCode(typed: Array("k3v9x2ab1c7d3fgh5m8n0pqrs".utf8)), validFor: .seconds(3600))

  static let codes = AppInterruption.codes((0..<10).map { "k3v9\($0)-2ab1c-7d3fg-h5m8n-0pqrs" })

  /// What the form for a payment makes of "bob" and "12.50", at first.
  static var payment: AppAction {
    do throws(BackendError) {
      return .pay(amount: Amount(unchecked: 1250), payee: try Username("bob"), number: 1)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension AppState {
  /// Types the keys of a text, one after the other; `\n` is Enter, `\t` Tab, `\u{1B}` Esc, and
  /// ↑ ↓ ← → are the arrows.
  ///
  /// - Returns: The effect of the last key.
  @discardableResult
  func type(_ text: String) -> AppEffect? {
    let named: [Unicode.Scalar: Key] = [
      "\n": .enter, "\t": .tab, "\u{1B}": .escape, "↑": .up, "↓": .down, "←": .left, "→": .right,
    ]
    return text.unicodeScalars.reduce(nil) { _, scalar in update(.key(named[scalar] ?? .character(scalar))) }
  }

  /// Takes in what happened at the present moment.
  func update(_ message: AppMessage) -> AppEffect? { update(message, at: now) }

  /// Lets time go by.
  func wait(_ time: Duration) { _ = update(.tick, at: now + time) }
}

extension AppOutcome: ExpressibleByStringLiteral {
  /// Creates an outcome from what was done.
  public init(stringLiteral done: String) { self.init(done) }
}

extension AppInput {
  /// What was typed, whether it shows or not.
  var typed: String { isSecret ? String(decoding: password.bytes, as: UTF8.self) : text }
}

extension AppPage {
  /// The same menu of an account with this time, which is in the same zone everywhere.
  fileprivate func since(_ time: String) -> AppPage {
    AppPage(lines: lines.map { $0.hasPrefix("Since ") ? "Since " + time : $0 }, rows: rows)
  }

  /// The same with other rows, columns, or a word about what part of a list they are.
  func with(_ rows: [AppRow], columns: [Table.Column]? = nil, part: String? = nil) -> AppPage {
    AppPage(
      lines: lines, columns: columns ?? self.columns, rows: rows, part: part, loaded: rows.count, empty: empty,
      chart: chart)
  }
}
