import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

// What the tabs show of what the screens loaded.

extension AppPage {
  /// How many rows a list has at most; the commands show the rest.
  static let limit = 500

  static func receipts(_ page: Page<Receipt>, of profile: Profile) -> AppPage {
    let own = profile.user.username
    var balance = profile.balance
    var points: [Chart.Point] = []
    for receipt in page.items {
      points.append(Chart.Point(at: receipt.madeAt, value: balance))
      balance -= receipt.change(for: own)
    }
    let table = Table.receipts(page.items, of: own).ordered(["TIME", "AMOUNT", "WITH", "RECEIPT"])
    var result = AppPage(table, empty: "No receipts.") { index in
      let receipt = page.items[index]
      return (receipt.id.description, receipt.other(than: own).map { .pay($0) })
    }
    result.lines = ["Balance  \(Amount.text(profile.balance))", ""]
    result.chart = Chart(points.reversed())
    return result.noting("newest", page.lastOfMore.map { "receipts --before \($0.id)" })
  }

  /// What the form for a payment shows beside it.
  static func pay(_ profile: Profile) -> AppPage {
    AppPage(lines: ["Your balance is \(Amount.text(profile.balance))."])
  }

  static func profile(_ profile: Profile) -> AppPage {
    let user = profile.user
    func row(_ name: String, _ text: String, _ choice: AppChoice? = nil) -> Row {
      Row(id: name, cells: [name, text], choice: choice)
    }
    return AppPage(
      columns: [.init(title: ""), .init(title: "", mayBeCut: true)],
      rows: [
        row("Name", user.displayName, .fill(.rename(user.displayName))), row("Username", user.username),
        row("Role", user.role.rawValue), row("Balance", Amount.text(profile.balance), .open(.receipts)),
        row("Since", UTCTime(seconds: profile.createdAt.seconds).local(.minutes)),
        row("Password", "change it", .fill(.changePassword)),
      ])
  }

  static func sessions(_ sessions: [SessionSummary], _ deadlines: Deadlines) -> AppPage {
    let table = Table.sessions(sessions, deadlines).ordered([
      "SESSION", "", "ENDS IN", "ACTIVE", "CONTEXT", "FROM", "BEGAN",
    ])
    return AppPage(table, empty: "No sessions.") { (sessions[$0].id.rawValue, .ask(.ending(sessions[$0]))) }
  }

  /// Enter ends the session that the event names, where it is one of the user's that goes on.
  static func events(_ page: Page<Event>, _ sessions: [SessionSummary]) -> AppPage {
    let table = Table.events(page.items).ordered(["TIME", "EVENT", "ACCOUNT", "DETAIL", "BY", "SESSION"])
    let result = AppPage(table, empty: "No events.") { index in
      let event = page.items[index]
      return (event.id.description, sessions.first { event.session == .named($0.id) }.map { .ask(.ending($0)) })
    }
    return result.noting("newest", page.lastOfMore.map { "events --before \($0.id)" })
  }

  /// A list of what a table shows, with the name and the choice of each row.
  init(_ table: Table, empty: String, row: (Int) -> (id: String, choice: AppChoice?)) {
    columns = table.columns
    widths = AppColumns.naturalWidths(table.columns, table.rows)
    self.empty = empty
    for index in table.rows.indices {
      let (id, choice) = row(index)
      rows.append(Row(id: id, cells: table.rows[index], choice: choice))
    }
  }

  /// The page with what part of the list it is, and the command that shows more.
  func noting(_ which: String, _ command: String?) -> AppPage {
    guard let command else { return self }
    var page = self
    let part = "the \(which) \(Self.limit)"
    page.part = part
    page.lines.insert("Only \(part) are here. More: auth-cli \(command)", at: 0)
    return page
  }
}

extension AppQuestion {
  /// Whether to end the session.
  fileprivate static func ending(_ session: SessionSummary) -> AppQuestion {
    session.isCurrent
      ? .logOut
      : AppQuestion(
        text: "End session \(session.id.rawValue)?", label: "end the session", action: .revoke(session.id))
  }
}

extension Receipt {
  /// What the payment did to the balance of a user.
  fileprivate func change(for username: String) -> Int64 {
    payer == username ? -amount.minorUnits : amount.minorUnits
  }
}
