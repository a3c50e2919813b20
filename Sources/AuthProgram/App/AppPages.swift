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
    var balances = [balance]
    for receipt in page.items {
      balance -= receipt.change(for: own)
      balances.append(balance)
    }
    var result = AppPage(.receipts(page.items, of: own), of: page.items, empty: "No receipts.", id: { "\($0.id)" }) {
      $0.other(than: own).map { .pay($0) }
    }
    result.lines = ["Balance  \(Amount.text(profile.balance))", ""]
    result.trend = balances.reversed()
    return result.noting(newest: true, page.lastOfMore.map { "receipts --before \($0.id)" })
  }

  /// What the form for a payment shows beside it.
  static func pay(_ profile: Profile) -> AppPage {
    AppPage(lines: ["Your balance is \(Amount.text(profile.balance))."])
  }

  static func profile(_ profile: Profile) -> AppPage {
    let user = profile.user
    func row(_ name: String, _ text: String, _ action: AppChoice? = nil) -> Row {
      Row(id: name, cells: [name, text], action: action)
    }
    return AppPage(
      columns: [.init(title: ""), .init(title: "")],
      rows: [
        row("Name", user.displayName, .rename), row("Username", user.username), row("Role", user.role.rawValue),
        row("Balance", Amount.text(profile.balance), .open(.receipts)),
        row("Since", UTCTime(seconds: profile.createdAt.seconds).local(.minutes)),
        row("Password", "change it", .changePassword),
      ])
  }

  static func sessions(_ sessions: [SessionSummary], _ deadlines: Deadlines) -> AppPage {
    AppPage(.sessions(sessions, deadlines), of: sessions, empty: "No sessions.", id: \.id.rawValue) {
      .ask(.ending($0))
    }
  }

  /// Enter ends the session that the event names, where it is one of the user's that goes on.
  static func events(_ page: Page<Event>, _ sessions: [SessionSummary]) -> AppPage {
    let result = AppPage(.events(page.items), of: page.items, empty: "No events.", id: { "\($0.id)" }) { event in
      sessions.first { event.session == .named($0.id) }.map { .ask(.ending($0)) }
    }
    return result.noting(newest: true, page.lastOfMore.map { "events --before \($0.id)" })
  }

  static func accounts(_ page: Page<AccountSummary>) -> AppPage {
    let result = AppPage(.accounts(page.items), of: page.items, empty: "No accounts.", id: \.user.username) {
      .ask(.changing($0))
    }
    return result.noting(newest: false, page.lastOfMore.map { "accounts list --after \($0.user.username)" })
  }

  /// The rows of a table, which shows these items.
  private init<Item>(
    _ table: Table, of items: [Item], empty: String, id: (Item) -> String, action: (Item) -> AppChoice?
  ) {
    columns = table.columns
    rows = zip(items, table.rows).map { Row(id: id($0), cells: $1, action: action($0)) }
    widths = AppColumns.naturalWidths(table.columns, table.rows)
    self.empty = empty
  }

  /// The page with what part of the list it is, and the command that shows more.
  private func noting(newest: Bool, _ command: String?) -> AppPage {
    guard let command else { return self }
    var page = self
    let part = "the \(newest ? "newest" : "first") \(Self.limit)"
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

  /// What to change about the account.
  fileprivate static func changing(_ account: AccountSummary) -> AppQuestion {
    let name = account.user.username
    let switching: Answer =
      account.isDisabled
      ? Answer(key: "e", label: "enable", action: .changeAccount(.enable, name))
      : Answer(key: "d", label: "disable and end all sessions", action: .changeAccount(.disable, name))
    let changingRole: Answer =
      account.user.role == .administrator
      ? Answer(key: "m", label: "make member", action: .changeAccount(.demote, name))
      : Answer(key: "a", label: "make administrator", action: .changeAccount(.promote, name))
    let unlocking = Answer(key: "u", label: "unlock", action: .changeAccount(.unlock, name))
    return AppQuestion(
      text: "\(name) (\(account.state)):", label: "change",
      answers: [switching] + (account.failedAttempts > 0 || account.throttle != nil ? [unlocking] : [])
        + [changingRole])
  }
}

extension Receipt {
  /// What the payment did to the balance of a user.
  fileprivate func change(for username: String) -> Int64 {
    payer == username ? -amount.minorUnits : amount.minorUnits
  }
}
