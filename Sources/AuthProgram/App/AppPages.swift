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
    let times = LocalTimes(page.items.map(\.madeAt.seconds))
    let result = AppPage(
      lines: ["Balance  \(Amount.text(profile.balance))", ""],
      columns: [
        .init(title: "RECEIPT", alignment: .right), times.column("TIME"), .init(title: "AMOUNT", alignment: .right),
        .init(title: "WITH"),
      ],
      rows: page.items.map { receipt in
        let isOut = receipt.payer == own
        let other = isOut ? receipt.payee : receipt.payer
        return Row(
          id: String(receipt.id),
          cells: [
            String(receipt.id), times.cell(receipt.madeAt.seconds, .minutes),
            (isOut ? "-" : "+") + receipt.amount.description, other ?? "opening credit",
          ], action: other.map { .pay($0) })
      }, empty: "No receipts.", trend: balances.reversed())
    return result.noting(page.lastOfMore == nil ? nil : "auth-cli receipts --before \(page.items.last?.id ?? 0)")
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
    let times = LocalTimes(sessions.flatMap { [$0.createdAt.seconds, $0.activeAt.seconds] })
    return AppPage(
      columns: [
        .init(title: "SESSION"), .init(title: "CONTEXT"), times.column("BEGAN"), times.column("ACTIVE"),
        .init(title: "ENDS IN", alignment: .right), .init(title: ""),
      ],
      rows: sessions.map { session in
        Row(
          id: session.id.rawValue,
          cells: [
            session.id.rawValue, session.label ?? "", times.cell(session.createdAt.seconds, .minutes),
            times.cell(session.activeAt.seconds, .minutes), deadlines.remaining(session.limits),
            session.isCurrent ? "this one" : "",
          ],
          action: session.isCurrent
            ? .ask(AppQuestion(text: "Log out?", action: .logOut))
            : .ask(AppQuestion(text: "End session \(session.id.rawValue)?", action: .revoke(session.id))))
      }, empty: "No sessions.")
  }

  static func events(_ page: Page<Event>) -> AppPage {
    let times = LocalTimes(page.items.map(\.at.seconds))
    let result = AppPage(
      columns: [
        times.column("TIME"), .init(title: "EVENT"), .init(title: "ACCOUNT"), .init(title: "BY"),
        .init(title: "SESSION"), .init(title: "DETAIL"),
      ],
      rows: page.items.map { event in
        Row(
          id: String(event.id),
          cells: [
            times.cell(event.at.seconds, .seconds), event.name, event.account ?? "", event.actor ?? "",
            event.session?.shown ?? "", event.detail ?? "",
          ], action: event.session?.question)
      }, empty: "No events.")
    return result.noting(page.lastOfMore == nil ? nil : "auth-cli events --before \(page.items.last?.id ?? 0)")
  }

  static func accounts(_ page: Page<AccountSummary>) -> AppPage {
    let result = AppPage(
      columns: [
        .init(title: "USERNAME"), .init(title: "NAME"), .init(title: "ROLE"), .init(title: "STATE"),
        .init(title: "FAILED", alignment: .right),
      ],
      rows: page.items.map { account in
        let name = account.user.username
        let question: AppQuestion =
          if account.isDisabled {
            .init(text: "Enable \(name)?", action: .changeAccount(.enable, name))
          } else if account.throttle != nil {
            .init(text: "Unlock \(name)?", action: .changeAccount(.unlock, name))
          } else {
            .init(text: "Disable \(name) and end their sessions?", action: .changeAccount(.disable, name))
          }
        return Row(
          id: name,
          cells: [
            name, account.user.displayName, account.user.role.rawValue, account.state, String(account.failedAttempts),
          ],
          action: .ask(question))
      }, empty: "No accounts.")
    return result.noting(page.lastOfMore == nil ? nil : "auth-cli accounts list --after NAME")
  }

  /// The page with a line that says where the rest is.
  private func noting(_ command: String?) -> AppPage {
    guard let command else { return self }
    var page = self
    page.lines.insert("The latest \(Self.limit) are here. More: \(command)", at: 0)
    return page
  }
}

extension EventSession {
  /// Whether to end the session that the event names.
  fileprivate var question: AppChoice? {
    switch self {
    case .named(let id): .ask(AppQuestion(text: "End session \(id.rawValue)?", action: .revoke(id)))
    case .hashed: nil
    }
  }
}

extension Receipt {
  /// What the payment did to the balance of a user.
  fileprivate func change(for username: String) -> Int64 {
    payer == username ? -amount.minorUnits : amount.minorUnits
  }
}
