import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `profile delete` and `accounts delete USER`.
struct DeleteAccountCommand: CommandBody {
  /// Whose; nil for one's own.
  let user: String?
  let isConfirmed: Bool

  static var own: Command<any CommandBody> {
    Command("delete", soughtAs: ["remove", "rm"]) {
      .init(
        summary: "Delete your account",
        discussion: [
          "Asks you to type the name of the account, unless --yes is given. The balance must be 0.00, and the last "
            + "administrator cannot be deleted. Your sessions end. Your names, password and codes are erased. Payments "
            + "stay, and show 'deleted account'. The user name is never given again.",
          "Needs a password that you entered recently, and asks for it on a terminal.",
        ],
        options: [Options.yes],
        examples: [
          .init("profile delete", "asks before it deletes your account"),
          .init("profile delete --yes", "deletes it at once, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        DeleteAccountCommand(user: nil, isConfirmed: try words[Options.yes])
      }
    }
  }

  static var other: Command<any CommandBody> {
    Command("delete", soughtAs: ["remove", "rm"]) {
      .init(
        summary: "Delete an account",
        discussion: [
          "Asks you to type the name of the account, unless --yes is given. Its balance must be 0.00, and the last "
            + "administrator cannot be deleted. Its sessions end, and what identifies its user is erased. Payments stay, "
            + "and show 'deleted account'. The user name is never given again.",
          "Needs a password that you entered recently, and asks for it on a terminal.",
        ],
        arguments: [Arguments.accountToDelete], options: [Options.yes],
        examples: [
          .init("accounts delete bob --yes", "deletes the account of bob without asking"),
          .init("accounts delete bob", "asks before it deletes the account of bob"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        DeleteAccountCommand(user: try words[Arguments.accountToDelete], isConfirmed: try words[Options.yes])
      }
    }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    if let user {
      try await workspace.deleteAccount(of: user, isConfirmed: isConfirmed)
    } else {
      try await workspace.deleteOwnAccount(isConfirmed: isConfirmed)
    }
  }
}

extension Arguments {
  fileprivate static let accountToDelete = Argument.required("USER", Kinds.account, "The account")
}

extension Options {
  fileprivate static let yes = Option.flag("yes", "Delete without asking")
}

extension Workspace {
  /// `profile delete`.
  func deleteOwnAccount(isConfirmed: Bool) async throws(CommandError) -> Answer {
    let screen = try await open(ProfileScreen.self)
    let profile = try await asking { () throws(LeaseError<BackendError>) in try screen.profile(of: backend) }
    // What would be refused is refused before anything is asked; the deletion checks again.
    guard profile.balance == 0 else {
      throw CommandError(.refused(.balanceNotZero, profile.user.username, Amount.text(profile.balance))).withHint(
        "Pay it to another account first: \(run: "pay", Amount.text(profile.balance), "--to", "USER")")
    }
    if !isConfirmed { try confirmDeletion(of: profile.user.username) }
    let fresh = try await fresh(screen.session)
    try await ask(fresh.session) { (lease) throws(BackendError) in
      try backend.deleteAccount(for: fresh, under: lease)
    }
    await forgetRevoked()
    return deleted(profile.user.username, shownBelow: [])
  }

  /// `accounts delete USER`.
  func deleteAccount(of user: String, isConfirmed: Bool) async throws(CommandError) -> Answer {
    let screen = try await open(AccountsScreen.self)
    let viewer = try administrator(screen.session)
    let name = try valid { () throws(BackendError) in try Username(user) }
    if !isConfirmed {
      // A name that nobody has is not asked about.
      _ = try await asking { () throws(LeaseError<BackendError>) in
        try screen.account(name, at: backend, for: viewer)
      }
      try confirmDeletion(of: name.canonical)
    }
    try await askAsAdministrator { (administrator, fresh, lease) throws(BackendError) in
      try backend.deleteAccount(name, for: administrator, fresh, under: lease)
    }
    if screen.session.user.username == name.canonical { await forgetRevoked() }
    return deleted(name.canonical, shownBelow: bar("Accounts"))
  }

  private func confirmDeletion(of name: String) throws(CommandError) {
    let shown = TextEscaping.escape(name)
    let typed: [UInt8]
    do throws(PromptError) {
      typed = try NameQuestion.ask(
        "This deletes the account \(shown) for ever. Type its name to go on: ", for: "confirmation",
        insteadUse: "with \(Options.yes.declaration.flag)")
    } catch {
      throw CommandError(error)
    }
    guard typed == Array(name.utf8) else {
      throw CommandError(code: .notConfirmed, shown)
    }
  }

  private func deleted(_ name: String, shownBelow bar: [String]) -> Answer {
    let shown = TextEscaping.escape(name)
    return Answer(
      .changed("the account \(shown) is deleted", hint: "The name is not given again."),
      lines: bar + ["The account \(shown) is deleted."], ["deleted": .string(name)])
  }
}
