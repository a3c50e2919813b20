import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `accounts disable`, `enable`, `unlock`, `promote` and `demote USER`.
enum ChangeAccountCommand {
  static func command(_ change: AccountChange) -> Command<CommandBody> {
    let ofRoles = "Sessions of the account continue with the new role."
    let ofDemotion = "\(ofRoles) The last administrator cannot be demoted."
    return Command(
      change.rawValue, summary: change.words.summary,
      discussion: (change == .promote ? [ofRoles] : change == .demote ? [ofDemotion] : []) + [Confirmation.ofPassword],
      arguments: [Arguments.account], options: change.ownWarning == nil ? [] : [Confirmation.yes],
      examples: ["accounts \(change.rawValue) bob": change.words.shows]
    ) { _ in
      .inWorkspace { (words, workspace) async throws(CommandError) in
        let user = words[Arguments.account]
        if change == .promote { try await sayWhatIsMissing(user, in: workspace) }
        if let warning = change.ownWarning, try await workspace.isOwn(user) { try Confirmation.ask(words, warning) }
        let changed = try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
          try change.make(to: user, at: workspace.backend, for: administrator, fresh, under: lease)
        }
        if changed.user.id == workspace.store.session?.user.id { await workspace.forgetRevoked() }
        let shown = TextEscaping.escape(changed.user.username)
        return workspace.describe(
          .changed("\(shown) is \(change.words.done)", hint: "Check with: \(run: "accounts", "show", shown)"), changed)
      }
    }
  }

  /// Warns before a promotion if the new administrator must first set up a second step.
  private static func sayWhatIsMissing(_ user: Username, in workspace: Workspace) async throws(CommandError) {
    let isMissing = try await workspace.askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      guard try workspace.backend.twoStepPolicy(for: administrator, under: lease) == .required else { return false }
      return try !screen.account(user, at: workspace.backend, for: administrator, under: lease).hasSecondStep
    }
    if isMissing {
      workspace.output.say("\(user) has no second step, and must set one up before doing anything else.")
    }
  }
}

extension Workspace {
  /// Whether this is the account of the administrator who is logged in; throws for other users.
  fileprivate func isOwn(_ user: Username) async throws(CommandError) -> Bool {
    let session = try await session()
    _ = try session.administratorKey()
    return session.user.username == user.canonical
  }
}

extension AccountChange {
  /// The texts of the command: its summary, its effect in the example, and the state of the account
  /// afterwards.
  var words: (summary: String, shows: String, done: String) {
    switch self {
    case .disable:
      ("Disable an account and end its sessions", "ends bob's sessions and refuses new ones", "disabled")
    case .enable: ("Enable a disabled account", "lets bob log in again", "enabled")
    case .unlock: ("Clear the wait after wrong passwords", "lets bob try passwords again", "unlocked")
    case .promote: ("Make a user an administrator", "lets bob change accounts", "an administrator")
    case .demote: ("Make an administrator a member again", "takes the role away from bob", "a member")
    }
  }

  /// The warning before administrators make the change to their own account; nil if they can undo
  /// it.
  var ownWarning: String? {
    switch self {
    case .disable: "This is your own account. You could not log in until another administrator enables it."
    case .demote: "This is your own account. You could not change accounts until another administrator promotes you."
    case .enable, .unlock, .promote: nil
    }
  }

  /// Makes the change, and returns the changed account.
  func make(
    to name: Username, at backend: any Backend, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    switch self {
    case .disable: try backend.setDisabled(true, account: name, for: administrator, fresh, under: lease)
    case .enable: try backend.setDisabled(false, account: name, for: administrator, fresh, under: lease)
    case .unlock: try backend.unlock(account: name, for: administrator, fresh, under: lease)
    case .promote: try backend.setRole(.administrator, account: name, for: administrator, fresh, under: lease)
    case .demote: try backend.setRole(.member, account: name, for: administrator, fresh, under: lease)
    }
  }
}

/// `profile delete` and `accounts delete USER`.
enum DeleteAccountCommand {
  static let own = command(
    "Delete your account", owner: "Your",
    examples: [
      "profile delete": "asks before it deletes your account",
      "profile delete --yes": "deletes it without asking, for scripts",
    ])

  static let other = command(
    "Delete an account", owner: "Its", of: Arguments.account,
    examples: [
      "accounts delete bob --yes": "deletes the account of bob without asking",
      "accounts delete bob": "asks before it deletes the account of bob",
    ])

  private static func command(
    _ summary: String, owner: String, of account: Argument<Username>? = nil,
    examples: KeyValuePairs<String, String>
  ) -> Command<CommandBody> {
    Command(
      "delete", soughtAs: ["remove", "rm"], summary: summary,
      discussion: [
        """
        Asks you to type the name of the account, unless --yes is given. \(owner) balance must be 0.00, or the opening \
        credit of an account without payments, which is then paid back. The last administrator cannot be deleted. \
        \(owner) sessions end. \(owner) names, password and codes are erased. Payments stay, and show 'deleted \
        account'. The user name cannot be used again.
        """,
        Confirmation.ofPassword,
      ],
      arguments: [account].compactMap(\.self), options: [Confirmation.yes], examples: examples
    ) { _ in
      .inWorkspace { (words, workspace) async throws(CommandError) in
        guard let account else { return try await deleteOwn(words, in: workspace) }
        return try await delete(words[account], words, in: workspace)
      }
    }
  }

  private static func delete(
    _ user: Username, _ words: ParsedWords, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    if !words[Confirmation.yes] {
      // Check that the account exists before asking for a confirmation.
      _ = try await workspace.account(user)
      try confirm(user.canonical)
    }
    try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try workspace.backend.deleteAccount(user, for: administrator, fresh, under: lease)
    }
    if workspace.store.session?.user.username == user.canonical { await workspace.forgetRevoked() }
    return deleted(user.canonical, below: workspace.bar("Accounts"))
  }

  private static func deleteOwn(
    _ words: ParsedWords, in workspace: Workspace
  ) async throws(CommandError) -> CommandResult {
    let screen = try await workspace.open(UserScreen.self)
    let (profile, isUnused) = try await workspace.store.ask(screen.session) { (lease) throws(BackendError) in
      // The first receipt is that of the opening credit.
      let receipts = try workspace.backend.receipts(Page(limit: 2), under: lease).rows
      return (try workspace.backend.profile(under: lease), receipts.count < 2)
    }
    // Check the balance before any prompt; the deletion checks it again.
    guard profile.balance == 0 || isUnused else {
      throw CommandError(BackendError.refused(.balanceNotZero, profile.user.username, Amount.text(profile.balance)))
        .withHint("Pay it to another account first: \(run: "pay", Amount.text(profile.balance), "--to", "USER")")
    }
    let credit = profile.balance == 0 ? "" : " Its opening credit of \(Amount.text(profile.balance)) is paid back."
    if !words[Confirmation.yes] { try confirm(profile.user.username, credit) }
    let fresh = try await workspace.makeFresh(screen.session)
    try await workspace.store.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.deleteAccount(for: fresh, under: lease)
    }
    await workspace.forgetRevoked()
    return deleted(profile.user.username, below: [])
  }

  private static func confirm(_ name: String, _ credit: String = "") throws(CommandError) {
    let shown = TextEscaping.escape(name)
    let typed = try Confirmation.answer(
      to: "This permanently deletes the account \(shown).\(credit) Type its name to go on: ")
    guard typed == Array(name.utf8) else {
      throw CommandError(code: .notConfirmed, shown)
    }
  }

  private static func deleted(_ name: String, below bar: [String]) -> CommandResult {
    let shown = TextEscaping.escape(name)
    return CommandResult(
      .changed("the account \(shown) is deleted", hint: "This name cannot be used again."),
      lines: bar + ["The account \(shown) is deleted."], ["deleted": .string(name)])
  }
}
