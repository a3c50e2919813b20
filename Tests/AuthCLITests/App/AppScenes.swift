import AuthBackend
import AuthCore
import CommandLineKit

@testable import AuthProgram

/// States of the full-screen program, as tests and pictures want them.
enum AppScenes {
  static let alice = User(
    id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .administrator)

  static func loggedOut(_ columns: Int = 80, _ rows: Int = 24) -> AppState {
    var state = AppState(columns: columns, rows: rows)
    _ = state.update(.looked(nil))
    return state
  }

  static func loggedIn(_ columns: Int = 80, _ rows: Int = 24, as user: User = alice) -> AppState {
    var state = loggedOut(columns, rows)
    _ = state.update(.button(.logOut(user)))
    return state
  }

  static let receipts = AppPage(
    lines: ["Balance  62.50", ""],
    columns: [
      .init(title: "RECEIPT", alignment: .right), .init(title: "TIME", unit: "UTC"),
      .init(title: "AMOUNT", alignment: .right),
      .init(title: "WITH"),
    ],
    rows: (0..<60).map { index in
      let names = ["bob", "carol", "opening credit", "日本語の名前", "dave"]
      return .init(
        id: "\(160 - index)",
        cells: [
          "\(160 - index)", "2026-11-21 20:\(index / 10)\(index % 10)", index % 3 == 0 ? "+7.00" : "-\(index % 7).50",
          names[index % 5],
        ], action: .pay(names[index % 5]))
    },
    empty: "No receipts.", trend: [10_000, 9_350, 9_350, 8_600, 9_300, 9_050, 8_000, 7_150, 7_850, 7_100, 6_250])

  static func showingReceipts(_ columns: Int = 80, _ rows: Int = 24) -> AppState {
    var state = loggedIn(columns, rows)
    _ = state.update(.key(.character("3")))
    _ = state.update(.loaded(.receipts, .success(receipts)))
    return state
  }

  static let sessions = AppPage(
    columns: [
      .init(title: "SESSION"), .init(title: "CONTEXT"), .init(title: "BEGAN"),
      .init(title: "ENDS IN", alignment: .right),
      .init(title: ""),
    ],
    rows: [
      .init(
        id: "k3v9", cells: ["k3v9", "default", "2026-11-21 19:58", "29 min", "this one"],
        action: .ask(.logOut)),
      .init(
        id: "p7c2", cells: ["p7c2", "laptop", "2026-11-21 18:30", "12 min", ""],
        action: .ask(
          .init(text: "End session p7c2?", label: "end the session", action: .revoke(SessionID(rawValue: "p7c2"))))),
    ], empty: "No sessions.")

  /// Alice, and bob, who is locked out; in the same zone everywhere.
  static let accounts = {
    let users = [alice, User(id: UserID(rawValue: "2"), username: "bob", displayName: "Bob 王", role: .member)]
    let summaries = users.map {
      AccountSummary(
        user: $0, isDisabled: false, createdAt: WallTime(microseconds: 0), failedAttempts: $0 == alice ? 0 : 101,
        throttle: $0 == alice ? nil : .locked)
    }
    var page = AppPage.accounts(Page(of: AppPage.limit, from: summaries))
    page.columns[4] = .init(title: "SINCE", unit: "UTC")
    page.rows = page.rows.map {
      .init(id: $0.id, cells: $0.cells.dropLast() + ["2026-11-21 20:00"], action: $0.action)
    }
    return page
  }()

  /// What the form for a payment makes of "bob" and "12.50", at first.
  static var payment: AppAction {
    do throws(BackendError) {
      return .pay(amount: Amount(unchecked: 1250), payee: try Username("bob"), number: 1)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The keys, one after the other.
  static func type(_ text: String, into state: inout AppState) {
    for scalar in text.unicodeScalars { _ = state.update(.key(.character(scalar))) }
  }
}
