import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `profile delete` and `accounts delete USER`.
struct DeleteAccountCommand: CommandBody {
  /// Whose; nil for one's own.
  let user: Username?
  let isConfirmed: Bool

  static let own = Command<any CommandBody>(
    "delete", soughtAs: ["remove", "rm"], summary: "Delete your account",
    discussion: [
      "Asks you to type the name of the account, unless --yes is given. The balance must be 0.00, and the last "
        + "administrator cannot be deleted. Your sessions end. Your names, password and codes are erased. Payments "
        + "stay, and show 'deleted account'. The user name is never given again.",
      "Needs a password that you entered recently, and asks for it on a terminal.",
    ],
    options: [yes],
    examples: [
      "profile delete": "asks before it deletes your account",
      "profile delete --yes": "deletes it at once, for scripts",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in DeleteAccountCommand(user: nil, isConfirmed: words[yes]) }

  static let other = Command<any CommandBody>(
    "delete", soughtAs: ["remove", "rm"], summary: "Delete an account",
    discussion: [
      "Asks you to type the name of the account, unless --yes is given. Its balance must be 0.00, and the last "
        + "administrator cannot be deleted. Its sessions end, and what identifies its user is erased. Payments stay, "
        + "and show 'deleted account'. The user name is never given again.",
      "Needs a password that you entered recently, and asks for it on a terminal.",
    ],
    arguments: [Arguments.account], options: [yes],
    examples: [
      "accounts delete bob --yes": "deletes the account of bob without asking",
      "accounts delete bob": "asks before it deletes the account of bob",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
  ) { words in DeleteAccountCommand(user: words[Arguments.account], isConfirmed: words[yes]) }

  private static let yes = Option.flag("yes", "Delete without asking")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    guard let name = user else { return try await deleteOwn(in: workspace) }
    let backend = workspace.backend
    let screen = try await workspace.open(AccountsScreen.self)
    let viewer = try workspace.administrator(screen.session)
    if !isConfirmed {
      // A name that nobody has is not asked about.
      _ = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
        try screen.account(name, at: backend, for: viewer, under: lease)
      }
      try Self.confirm(name.canonical)
    }
    try await workspace.askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.deleteAccount(name, for: administrator, fresh, under: lease)
    }
    if screen.session.user.username == name.canonical { await workspace.forgetRevoked() }
    return Self.deleted(name.canonical, below: workspace.bar("Accounts"))
  }

  private func deleteOwn(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(UserScreen.self)
    let profile = try await workspace.ask(screen.session, workspace.backend.profile(under:))
    // What would be refused is refused before anything is asked; the deletion checks again.
    guard profile.balance == 0 else {
      throw CommandError(BackendError.refused(.balanceNotZero, profile.user.username, Amount.text(profile.balance)))
        .withHint(
          "Pay it to another account first: \(run: "pay", Amount.text(profile.balance), "--to", "USER")")
    }
    if !isConfirmed { try Self.confirm(profile.user.username) }
    let fresh = try await workspace.fresh(screen.session)
    try await workspace.ask(fresh.session) { (lease) throws(BackendError) in
      try workspace.backend.deleteAccount(for: fresh, under: lease)
    }
    await workspace.forgetRevoked()
    return Self.deleted(profile.user.username, below: [])
  }

  private static func confirm(_ name: String) throws(CommandError) {
    let shown = TextEscaping.escape(name)
    let typed = try explained { () throws(PromptError) in
      try SilentTerminal.askVisibly(
        "This deletes the account \(shown) for ever. Type its name to go on: ", for: "confirmation",
        insteadUse: "with \(yes.declaration.flag)")
    }
    guard typed == Array(name.utf8) else {
      throw CommandError(code: .notConfirmed, shown)
    }
  }

  private static func deleted(_ name: String, below bar: [String]) -> Answer {
    let shown = TextEscaping.escape(name)
    return Answer(
      .changed("the account \(shown) is deleted", hint: "The name is not given again."),
      lines: bar + ["The account \(shown) is deleted."], ["deleted": .string(name)])
  }
}
