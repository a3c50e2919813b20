import AuthBackend
import AuthCore
import CommandLineKit

/// What an administrator does in the full-screen program.
enum Administration: Sendable {
  case change(AccountsScreen.Change, String)
  /// Makes a one-time code for a new password.
  case resetPassword(String)
  case delete(String)
  /// Makes an account for somebody else, with a one-time code.
  case create(String)
  case registration(Registration)
  case twoStep(TwoStepPolicy)

  /// What was done, as a sentence.
  var done: String {
    switch self {
    case .change(let change, let name): "\(name) is \(change.done) now."
    case .resetPassword(let name): "A one-time code for \(name) is made."
    case .delete(let name): "The account \(name) is deleted."
    case .create(let name): "Created \(name)."
    case .registration(let registration): "Registration is \(registration.rawValue) now."
    case .twoStep(let policy): "The second step of administrators is \(policy.rawValue) now."
    }
  }
}

extension AccountsScreen {
  /// Does it.
  ///
  /// - Returns: The code that was made, if one was.
  func perform(
    _ administration: Administration, at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession
  ) throws(LeaseError<BackendError>) -> OneTimeCode? {
    try session.withLease { (lease) throws(BackendError) in
      switch administration {
      case .change(let change, let name):
        _ = try self.change(change, try Username(name), at: backend, for: administrator, fresh, under: lease)
      case .resetPassword(let name):
        return try backend.resetPassword(of: try Username(name), for: administrator, fresh, under: lease)
      case .delete(let name):
        try backend.deleteAccount(try Username(name), for: administrator, fresh, under: lease)
      case .create(let name):
        return try backend.registerOther(username: name, for: administrator, fresh, under: lease)
      case .registration(let registration):
        try backend.setRegistration(registration, for: administrator, fresh, under: lease)
      case .twoStep(let policy): try backend.setTwoStepPolicy(policy, for: administrator, fresh, under: lease)
      }
      return nil
    }
  }
}

extension AppPage {
  /// Accounts, and the rules for all of them.
  static func accounts(
    _ page: Page<AccountSummary>, _ registration: Registration, _ policy: TwoStepPolicy
  ) -> AppPage {
    var administrators = 0
    for account in page.items where account.isActiveAdministrator { administrators += 1 }
    let table = Table.accounts(page.items)
    var rows = rules(registration, policy)
    for (index, account) in page.items.enumerated() {
      // Of accounts that are not loaded another one may be.
      let isLast =
        account.user.role == .administrator && page.lastOfMore == nil
        && administrators == (account.isActiveAdministrator ? 1 : 0)
      rows.append(
        AppRow(
          id: account.user.username, cells: table.rows[index], menu: menu(of: account, isLast: isLast)))
    }
    return AppPage(
      table.columns, rows, "first", page.lastOfMore.map { "accounts list --after \($0.user.username)" },
      empty: "No accounts.")
  }

  private static func rules(_ registration: Registration, _ policy: TwoStepPolicy) -> [AppRow] {
    let register =
      switch registration {
      case .open:
        offer(
          "Registration is open", .registration(.closed),
          "Close the registration? Then only administrators create accounts.")
      case .closed:
        offer(
          "Registration is closed", .registration(.open),
          "Open the registration? Then everybody may create an account.")
      }
    let secondStep =
      switch policy {
      case .optional:
        offer(
          "A second step is optional", .twoStep(.required),
          "Require a second step of administrators? Without one they can do nothing but set one up.")
      case .required:
        offer(
          "A second step is required of administrators", .twoStep(.optional),
          "Let administrators log in without a second step?")
      }
    return [AppRow("Create an account", .fill(.createAccount)), register, secondStep]
  }

  private static func menu(of account: AccountSummary, isLast: Bool) -> AppPage {
    let name = account.user.username
    var rows: [AppRow] = []
    if account.failedAttempts > 0 || account.throttle != nil {
      rows.append(offer("Unlock: forget wrong passwords", .change(.unlock, name)))
    }
    rows.append(
      account.isDisabled
        ? offer("Enable", .change(.enable, name))
        : offer("One-time code for a new password", .resetPassword(name)))
    if account.user.role == .member {
      rows.append(offer("Make administrator", .change(.promote, name), "Make \(name) an administrator?"))
    } else if !isLast {
      rows.append(offer("Make member", .change(.demote, name), "Take the role of administrator away from \(name)?"))
    }
    if !account.isDisabled, !isLast {
      rows.append(
        offer(
          "Disable, and end all sessions", .change(.disable, name), "Disable \(name), and end all its sessions?"))
    }
    if !isLast { rows.append(AppRow("Delete for ever", .fill(.deleteAccount(name)))) }
    let about = "\(name) (\(account.user.displayName)): \(account.user.role.rawValue), \(account.state)."
    let why = isLast ? ["The last administrator cannot be disabled, demoted or deleted."] : []
    return AppPage(lines: [about] + why + [""], rows: rows)
  }

  /// Not inlined, so that the executable stays small.
  @inline(never)
  private static func offer(
    _ words: String, _ administration: Administration, _ question: String? = nil
  ) -> AppRow {
    let action = AppAction.administer(administration)
    guard let question else { return AppRow(words, .perform(action)) }
    return AppRow(words, .ask(AppQuestion(question, action)))
  }
}

extension AccountSummary {
  /// Whether it can make another account an administrator's.
  fileprivate var isActiveAdministrator: Bool { user.role == .administrator && !isDisabled }
}
