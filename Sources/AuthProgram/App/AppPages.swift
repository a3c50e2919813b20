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
    var rows: [AppRow] = []
    let table = Table.receipts(page.items, of: own).ordered(["TIME", "AMOUNT", "WITH", "RECEIPT"])
    for (index, receipt) in page.items.enumerated() {
      points.append(Chart.Point(at: receipt.madeAt, value: balance))
      balance -= receipt.change(for: own)
      rows.append(
        AppRow(
          id: receipt.id.description, cells: table.rows[index],
          choice: receipt.other(than: own).map { .pay($0, amount: receipt.amount.description) }))
    }
    return AppPage(
      table.columns, rows, "newest", page.lastOfMore.map { "receipts --before \($0.id)" },
      lines: ["Balance  \(Amount.text(profile.balance))", ""], empty: "No receipts.", chart: Chart(points.reversed()))
  }

  /// What the form for a payment shows beside it.
  static func pay(_ profile: Profile) -> AppPage {
    AppPage(lines: ["Your balance is \(Amount.text(profile.balance))."])
  }

  static func profile(_ profile: Profile) -> AppPage {
    let user = profile.user
    func row(_ name: String, _ text: String, _ choice: AppChoice? = nil) -> AppRow {
      AppRow(id: name, cells: [name, text], choice: choice)
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
    var rows: [AppRow] = []
    for (index, session) in sessions.enumerated() {
      rows.append(AppRow(id: session.id.rawValue, cells: table.rows[index], choice: .ask(.ending(session))))
    }
    return AppPage(columns: table.columns, rows: rows, empty: "No sessions.")
  }

  /// Enter ends the session that the event names, where it is one of the user's that goes on.
  static func events(_ page: Page<Event>, _ sessions: [SessionSummary]) -> AppPage {
    let table = Table.events(page.items).ordered(["TIME", "EVENT", "ACCOUNT", "DETAIL", "BY", "SESSION"])
    var rows: [AppRow] = []
    for (index, event) in page.items.enumerated() {
      let session = sessions.first { event.session == .named($0.id) }
      rows.append(
        AppRow(
          id: event.id.description, cells: table.rows[index], choice: session.map { .ask(.ending($0)) }))
    }
    return AppPage(
      table.columns, rows, "newest", page.lastOfMore.map { "events --before \($0.id)" }, empty: "No events.")
  }

  /// The first part of a list; where there is more it says so, with the command that shows more.
  convenience init(
    _ columns: [Table.Column], _ rows: [AppRow], _ which: String, _ command: String?, lines: [String] = [],
    empty: String, chart: Chart? = nil
  ) {
    let part = command.map { _ in "the \(which) \(Self.limit)" }
    let more = command.map { ["Only the \(which) \(Self.limit) are here. More: auth-cli \($0)"] } ?? []
    self.init(lines: more + lines, columns: columns, rows: rows, part: part, empty: empty, chart: chart)
  }
}

extension AppQuestion {
  /// Whether to end the session.
  fileprivate static func ending(_ session: SessionSummary) -> AppQuestion {
    session.isCurrent
      ? .logOut : AppQuestion("End session \(session.id.rawValue)?", label: "end the session", .revoke(session.id))
  }
}

extension Receipt {
  /// What the payment did to the balance of a user.
  fileprivate func change(for username: String) -> Int64 {
    payer == username ? -amount.minorUnits : amount.minorUnits
  }
}
