package import AuthAccounts
package import AuthCore
package import AuthScreens
import CommandLineKit
import TextFormat

// The pages of the tabs, from the data that the screens loaded.

extension AppPage {
  /// How many rows a list has at first, and how many more are loaded at its end.
  static let limit = 500

  package static func receipts(_ page: LoadedPage<Receipt>, of profile: Profile, query: AppQuery = AppQuery())
    -> AppPage
  {
    let own = profile.user.username
    var balance = profile.balance
    var points: [Chart.Point] = []
    let table = Table.receipts(page.items, of: own).ordered(["TIME", "AMOUNT", "WITH", "RECEIPT"])
    let rows = zip(page.items, table.rows).map { receipt, cells in
      points.append((receipt.madeAt, balance))
      balance -= receipt.change(for: own)
      var letters: [AppLetter] = []
      if let other = receipt.other(than: own), other != DeletedAccount.shownName {
        let verb = receipt.change(for: own) < 0 ? "pay again" : "pay back"
        letters = [AppLetter(key: "p", label: verb, choice: .pay(other, amount: receipt.amount.description))]
      }
      return AppRow(
        id: receipt.id.description, cells, of: table, moments: ["TIME": receipt.madeAt.seconds], letters: letters,
        copying: .copying(receipt.id.description, called: "number \(receipt.id)"))
    }
    return AppPage(
      lines: ["Balance  \(Amount.text(profile.balance))", ""], columns: table.columns, rows: rows,
      part: page.part("newest"), loaded: page.items.count, query: query,
      empty: "No receipts.",
      // Earlier balances can be computed only if no receipt is left out.
      chart: query.text.isEmpty ? Chart(points.reversed()) : nil)
  }

  /// What Home shows of an account: the balance, the last receipts, and a second step that is off.
  package static func home(_ profile: Profile, _ latest: [Receipt], _ twoStep: TwoStepState) -> AppPage {
    let table = Table.receipts(latest, of: profile.user.username).ordered(["TIME", "AMOUNT", "WITH"])
    let rows = zip(latest, table.rows).map { receipt, cells in
      AppRow(id: "receipt \(receipt.id)", cells: cells, choice: .open(.receipts))
    }
    return AppPage(
      lines: ["Your balance is \(Amount.text(profile.balance))."], columns: table.columns,
      rows: (twoStep.isOn ? [] : [.secondStep]) + rows)
  }

  /// The page of the Pay tab: the balance, and names that complete what is typed.
  package static func pay(_ profile: Profile, _ latest: [Receipt]) -> AppPage {
    AppPage(
      lines: ["Your balance is \(Amount.text(profile.balance))."], balance: profile.balance,
      names: Receipt.others(latest, than: profile.user.username))
  }

  package static func profile(_ profile: Profile, _ twoStep: TwoStepState) -> AppPage {
    let user = profile.user
    func row(_ name: String, _ text: String, _ choice: AppChoice? = nil) -> AppRow {
      AppRow(id: name, cells: [name, text], choice: choice)
    }
    let codes = twoStep.recoveryCodes
    let question = AppQuestion(
      text: "Make ten recovery codes?" + (codes > 0 ? " All earlier codes become void." : ""),
      action: .change(.makeRecoveryCodes))
    return AppPage(
      columns: ["", .cut("")],
      rows: [
        row("Name", user.displayName, .fill(.rename(user.displayName))), row("Username", user.username),
        row("Role", user.role.rawValue), row("Balance", Amount.text(profile.balance), .open(.receipts)),
        row("Since", UTCTime(seconds: profile.createdAt.seconds).local(.minutes)),
        row("Password", "change it", .fill(.changePassword)),
        twoStep.isOn
          ? row("Second step", "on, \(codes) recovery code\(codes == 1 ? "" : "s") left", .fill(.endTwoStep))
          : row("Second step", "off: set it up", .perform(.change(.beginTwoStep))),
        row("Recovery codes", "make new ones", .ask(question)),
        row("Account", "delete it", .fill(.deleteAccount(user.username, isOwn: true))),
      ])
  }

  package static func sessions(_ sessions: [SessionSummary], of user: User, _ deadlines: Deadlines) -> AppPage {
    let table = Table.sessions(sessions, deadlines).ordered([
      "SESSION", "", "ENDS IN", "ACTIVE", "CONTEXT", "FROM", "BEGAN",
    ])
    let rows = zip(sessions, table.rows).map { session, cells in
      AppRow(
        id: session.id.rawValue, cells, of: table,
        moments: ["ACTIVE": session.activeAt.seconds, "BEGAN": session.createdAt.seconds],
        letters: [.ending(session, of: user)])
    }
    return AppPage(columns: table.columns, rows: rows, empty: "No sessions.")
  }

  /// The page of events; a letter key ends the session of an event, if the user has it open.
  package static func events(
    _ page: LoadedPage<Event>, _ sessions: [SessionSummary], of user: User, query: AppQuery = AppQuery()
  ) -> AppPage {
    let table = Table.events(page.items).ordered(["TIME", "EVENT", "ACCOUNT", "DETAIL", "BY", "SESSION"])
    let rows = zip(page.items, table.rows).map { event, cells in
      AppRow(
        id: event.id.description, cells, of: table, moments: ["TIME": event.at.seconds],
        letters: sessions.filter { event.session == $0.id }.map { .ending($0, of: user) },
        copying: .copying(event.session?.rawValue ?? event.name))
    }
    return AppPage(
      columns: table.columns, rows: rows, part: page.part("newest"), loaded: page.items.count, query: query,
      empty: "No events.")
  }

  /// The page of accounts, and of the rules for all accounts.
  package static func accounts(
    _ page: LoadedPage<AccountSummary>, _ registration: Registration, _ policy: TwoStepPolicy,
    query: AppQuery = AppQuery()
  ) -> AppPage {
    let administrators = page.items.count { $0.isActiveAdministrator }
    // The menu of a row shows the time of the creation.
    let table = Table.accounts(page.items, by: .lastLogin)
    let accounts = zip(page.items, table.rows).map { account, cells in
      // An account that is not loaded may be another administrator.
      let isLast =
        account.user.role == .administrator && page.lastOfMore == nil && query.text.isEmpty
        && administrators == (account.isActiveAdministrator ? 1 : 0)
      let name = account.user.username
      return AppRow(id: name, cells: cells, menu: menu(of: account, isLast: isLast), letters: [.copying(name)])
    }
    return AppPage(
      columns: table.columns, rows: rules(registration, policy) + accounts,
      part: page.part(query.order == .name ? "first" : "latest"), loaded: page.items.count, query: query,
      empty: "No accounts.")
  }

  private static func rules(_ registration: Registration, _ policy: TwoStepPolicy) -> [AppRow] {
    [
      AppRow("Create an account", .fill(.createAccount)),
      offer(
        "registration", "Registration is \(registration.rawValue)",
        .registration(registration == .open ? .closed : .open)),
      policy == .optional
        ? offer("step", "A second step is optional", .twoStep(.required))
        : offer("step", "A second step is required of administrators", .twoStep(.optional)),
    ]
  }

  private static func menu(of account: AccountSummary, isLast: Bool) -> AppPage {
    let name = account.user.username
    var rows: [AppRow] = []
    func add(_ id: String, _ words: String, _ change: Administration) { rows.append(offer(id, words, change)) }
    if account.failedAttempts > 0 || account.throttle != nil {
      add("unlock", "Unlock: forget wrong passwords", .change(.unlock, name))
    }
    if !account.isDisabled { add("code", "One-time code for a new password", .resetPassword(name)) }
    // An action and its opposite are one row, so that the cursor stays on it.
    if account.user.role == .member {
      add("role", "Make administrator", .change(.promote, name))
    } else if !isLast {
      add("role", "Make member", .change(.demote, name))
    }
    if account.isDisabled {
      add("state", "Enable", .change(.enable, name))
    } else if !isLast {
      add("state", "Disable, and end all sessions", .change(.disable, name))
    }
    if !isLast { rows.append(AppRow("Delete permanently (with 0.00, or unused)", .fill(.deleteAccount(name)))) }
    let about =
      "\(name) (\(account.user.displayName)): \(account.user.role.rawValue), \(account.state), "
      + "second step \(account.hasSecondStep ? "on" : "off")."
    let times = [("Last login", account.lastLoginAt), ("Since", account.createdAt)].compactMap { what, time in
      time.map { (what + " " + UTCTime(seconds: $0.seconds).local(.minutes), $0.seconds) }
    }
    let why = isLast ? ["The last administrator cannot be disabled, demoted or deleted."] : []
    return AppPage(
      lines: [about] + times.map { $0.0 } + why + [""], rows: rows,
      moments: Dictionary(uniqueKeysWithValues: zip(1..., times.map { $0.1 })))
  }

  /// Creates a row that makes the change, after its question if it has one.
  private static func offer(_ id: String, _ words: String, _ change: Administration) -> AppRow {
    let action = AppAction.administer(change)
    let question = change.question.map { AppQuestion(text: $0, action: action) }
    return AppRow(id: id, cells: [words], choice: question.map { .ask($0) } ?? .perform(action))
  }
}

extension AccountSummary {
  /// Whether its user can administer: an administrator whose account is not disabled.
  fileprivate var isActiveAdministrator: Bool { user.role == .administrator && !isDisabled }
}

extension LoadedPage {
  /// The description of the items if there are more, such as "the newest 500".
  func part(_ which: String) -> String? { lastOfMore == nil ? nil : "the \(which) \(items.count)" }
}

extension AppLetter {
  /// The key that ends the session after a question, or logs out if it is the current one.
  fileprivate static func ending(_ session: SessionSummary, of user: User) -> AppLetter {
    if session.isCurrent { return AppLetter(key: "e", label: "log out", choice: .ask(.logOut(user))) }
    let question = AppQuestion(
      text: "End session \(session.id.rawValue)? Whoever uses it must log in again.",
      action: .change(.revoke(session.id)))
    return AppLetter(key: "e", label: "end the session", choice: .ask(question))
  }
}

extension Receipt {
  /// The amount by which the payment changed a user's balance.
  fileprivate func change(for username: String) -> Int64 {
    payer == username ? -amount.minorUnits : amount.minorUnits
  }
}

extension AppPage {
  /// The page of a user's claims at an identity provider, with the time left of the access token.
  package static func profile(_ rows: [(name: String, text: String)], provider: String, validUntil: String?) -> AppPage
  {
    let token = validUntil.map { "valid until \($0)" } ?? "the next use renews it"
    return AppPage(
      columns: ["", .cut("")],
      rows: (rows + [("Provider", provider)]).map { AppRow(id: $0.name, cells: [$0.name, $0.text]) }
        + [AppRow(id: "token", cells: ["Access token", token], choice: .perform(.renewAccess))])
  }

  /// The contexts of a device, each with its name, its user and where it is.
  package static func contexts(_ rows: [[String]]) -> AppPage {
    let table = Table(["CONTEXT", "USER", .cut("WHERE")], rows: rows)
    return AppPage(
      columns: table.columns, rows: table.rows.map { AppRow(id: $0[0], $0, of: table, letters: []) },
      empty: "No contexts.")
  }
}
