package import AuthAccounts
import AuthCore
import AuthMessages
package import CommandLineKit
import TextFormat

// The tables that the commands print and the full-screen program shows.

extension Table {
  /// Payments, as the user of that name sees them.
  package static func receipts(_ receipts: [Receipt], of own: String) -> Table {
    let times = LocalTimes(receipts.map(\.madeAt.seconds))
    let key: [Column] = receipts.contains { $0.key != nil } ? [.cut("KEY")] : []
    return Table(
      [.right("RECEIPT"), times.column("TIME"), .right("AMOUNT"), .cut("WITH")] + key,
      rows: receipts.map { receipt in
        [
          String(receipt.id), times.cell(receipt.madeAt.seconds, .seconds),
          (receipt.payer == own ? "-" : "+") + receipt.amount.description, receipt.other(than: own) ?? "opening credit",
          receipt.key ?? "",
        ]
      })
  }

  package static func sessions(_ sessions: [SessionSummary], _ deadlines: Deadlines) -> Table {
    let times = LocalTimes(sessions.flatMap { [$0.createdAt.seconds, $0.activeAt.seconds] })
    // Sessions of an older version have no origin.
    let from: [Column] = sessions.contains { $0.origin != nil } ? [.cut("FROM")] : []
    return Table(
      ["SESSION", .cut("CONTEXT"), times.column("BEGAN").extra, times.column("ACTIVE"), .right("ENDS IN"), ""] + from,
      rows: sessions.map { session in
        [
          session.id.rawValue, session.label ?? "", times.cell(session.createdAt.seconds, .minutes),
          times.cell(session.activeAt.seconds, .minutes), deadlines.remaining(session.limits),
          session.isCurrent ? "here" : "", session.origin?.words ?? "",
        ]
      })
  }

  package static func events(_ events: [Event]) -> Table {
    let times = LocalTimes(events.map(\.at.seconds))
    return Table(
      [times.column("TIME"), "EVENT", .cut("ACCOUNT"), .cut("BY"), "SESSION", .cut("DETAIL")],
      rows: events.map { event in
        [
          times.cell(event.at.seconds, .seconds), event.words, event.account ?? "", event.actor ?? "",
          event.session?.rawValue ?? "", event.detail ?? "",
        ]
      })
  }

  /// Accounts, with the time of the last login if they are in its order, otherwise of the creation.
  package static func accounts(_ accounts: [AccountSummary], by order: AccountsQuery.Order = .name) -> Table {
    func moment(_ account: AccountSummary) -> WallTime? {
      order == .lastLogin ? account.lastLoginAt : account.createdAt
    }
    let times = LocalTimes(accounts.compactMap { moment($0)?.seconds })
    return Table(
      [
        .cut("USERNAME"), .cut("NAME"), "ROLE", "STATE", "TWO-STEP",
        times.column(order == .lastLogin ? "LAST LOGIN" : "SINCE"),
      ],
      rows: accounts.map { account in
        [
          account.user.username, account.user.displayName, account.user.role.rawValue, account.state,
          account.hasSecondStep ? "on" : "off", moment(account).map { times.cell($0.seconds, .minutes) } ?? "",
        ]
      })
  }
}

extension Receipt {
  /// The other party of the payment for the user `own`; nil for the opening credit.
  package func other(than own: String) -> String? { payer == own ? payee : payer }

  /// The other parties of these payments for the user `own`, each once, without deleted accounts.
  package static func others(_ receipts: [Receipt], than own: String) -> [String] {
    receipts.compactMap { $0.other(than: own) }.distinct.filter { $0 != DeletedAccount.shownName }
  }
}

extension AccountSummary {
  /// The state in words: whether the account is disabled, and whether password attempts must wait.
  package var state: String {
    let attempts: String? =
      switch throttle {
      case nil: nil
      case .wait(let duration): "waiting \(duration.asWait)"
      case .locked: "locked"
      }
    return [isDisabled ? "disabled" : attempts == nil ? "active" : nil, attempts].compactMap(\.self).joined(
      separator: ", ")
  }
}

extension SessionOrigin {
  /// The origin for people: `pts/3, from 192.0.2.7`, without the program if it is this one.
  package var words: String {
    let program = program == "auth-cli" ? nil : program
    return [terminal ?? "no terminal", program, host.map { "from \($0)" }].compactMap(\.self).joined(separator: ", ")
  }
}
