import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

/// What an administrator does in the full-screen program.
enum Administration: Equatable, Sendable {
  case change(AccountChange, String)
  /// Makes a one-time code for a new password.
  case resetPassword(String)
  case delete(String)
  /// Makes an account for somebody else, with a one-time code.
  case create(String)
  case registration(Registration)
  case twoStep(TwoStepPolicy)

  /// What was done, where it closes the accounts to whoever did it.
  static var ownStepMissing: String {
    "A second step is required of administrators now. You have none: set yours up on Home."
  }

  /// Does it, and says so; with the code that was made, if one was.
  func perform(
    at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AppOutcome {
    switch self {
    case .change(let change, let name):
      _ = try change.make(to: try Username(name), at: backend, for: administrator, fresh, under: lease)
      return AppOutcome(done: "\(name) is \(change.words.done) now.")
    case .resetPassword(let name):
      let code = try backend.resetPassword(of: try Username(name), for: administrator, fresh, under: lease)
      return AppOutcome(done: "A one-time code for \(name) is made.", page: .code(code))
    case .delete(let name):
      try backend.deleteAccount(try Username(name), for: administrator, fresh, under: lease)
      return AppOutcome(done: "The account \(name) is deleted.")
    case .create(let name):
      let code = try backend.registerOther(username: name, for: administrator, fresh, under: lease)
      return AppOutcome(done: "Created \(name).", page: .code(code))
    case .registration(let registration):
      try backend.setRegistration(registration, for: administrator, fresh, under: lease)
      return AppOutcome(done: "Registration is \(registration.rawValue) now.")
    case .twoStep(let policy):
      try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
      if policy == .optional { return AppOutcome(done: "A second step is optional now.") }
      // The change is made; where this cannot be told, what is opened next says it.
      let isMissing = (try? backend.twoStep(under: lease))?.isOn == false
      return AppOutcome(done: isMissing ? Self.ownStepMissing : "A second step is required of administrators now.")
    }
  }
}

extension AppPage {
  /// Accounts, and the rules for all of them.
  static func accounts(
    _ page: Page<AccountSummary>, _ registration: Registration, _ policy: TwoStepPolicy,
    query: AppQuery = AppQuery()
  ) -> AppPage {
    let administrators = page.items.count { $0.isActiveAdministrator }
    // The details of a row say since when there is the account.
    let table = Table.accounts(page.items, by: .lastLogin)
    let accounts = zip(page.items, table.rows).map { account, cells in
      // Of accounts that are not loaded another one may be.
      let isLast =
        account.user.role == .administrator && page.lastOfMore == nil && query.text.isEmpty
        && administrators == (account.isActiveAdministrator ? 1 : 0)
      let name = account.user.username
      return AppRow(
        id: name, cells: cells, menu: menu(of: account, isLast: isLast),
        letters: [.copying(name)])
    }
    return AppPage(
      columns: table.columns, rows: rules(registration, policy) + accounts,
      part: page.part(query.order == .name ? "first" : "latest"),
      loaded: page.items.count, query: query, empty: "No accounts.")
  }

  private static func rules(_ registration: Registration, _ policy: TwoStepPolicy) -> [AppRow] {
    let (isOpen, isOptional) = (registration == .open, policy == .optional)
    return [
      AppRow("Create an account", .fill(.createAccount)),
      offer(
        "registration", "Registration is \(registration.rawValue)", .registration(isOpen ? .closed : .open),
        isOpen
          ? "Close the registration? Then only administrators create accounts."
          : "Open the registration? Then everybody may create an account."),
      offer(
        "step", "A second step is \(isOptional ? "optional" : "required of administrators")",
        .twoStep(isOptional ? .required : .optional),
        isOptional
          ? "Require a second step of administrators? Without one they can do nothing but set one up."
          : "Let administrators log in without a second step?"),
    ]
  }

  private static func menu(of account: AccountSummary, isLast: Bool) -> AppPage {
    let name = account.user.username
    var rows: [AppRow] = []
    func add(_ id: String, _ words: String, _ change: Administration, _ before: String, _ after: String = "?") {
      rows.append(offer(id, words, change, before.isEmpty ? "" : before + name + after))
    }
    if account.failedAttempts > 0 || account.throttle != nil {
      add("unlock", "Unlock: forget wrong passwords", .change(.unlock, name), "")
    }
    if !account.isDisabled {
      add(
        "code", "One-time code for a new password", .resetPassword(name), "Make a one-time code for ",
        "? A code made before stops working.")
    }
    // An action and its opposite are one row, so that the cursor stays on it.
    if account.user.role == .member {
      add("role", "Make administrator", .change(.promote, name), "Make ", " an administrator?")
    } else if !isLast {
      add("role", "Make member", .change(.demote, name), "Take the role of administrator away from ")
    }
    if account.isDisabled {
      add("state", "Enable", .change(.enable, name), "Enable ")
    } else if !isLast {
      add(
        "state", "Disable, and end all sessions", .change(.disable, name), "Disable ", ", and end all its sessions?")
    }
    if !isLast { rows.append(AppRow("Delete for ever (balance must be 0.00)", .fill(.deleteAccount(name)))) }
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

  /// A row that makes the change, after the question if there is one.
  private static func offer(
    _ id: String, _ words: String, _ administration: Administration, _ question: String
  ) -> AppRow {
    let action = AppAction.administer(administration)
    return AppRow(
      id: id, cells: [words], choice: question.isEmpty ? .perform(action) : .ask(.init(text: question, action: action)))
  }
}

extension AccountSummary {
  /// Whether it can make another account an administrator's.
  fileprivate var isActiveAdministrator: Bool { user.role == .administrator && !isDisabled }
}
