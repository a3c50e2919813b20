import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import TextFormat

/// `accounts`: groups the commands of an administrator.
enum AccountsCommand {
  static let command = Command<any CommandBody>(
    "accounts", summary: "See and change accounts, as administrator",
    discussion: ["Changing an account needs a password that you entered recently, and asks for it on a terminal."],
    examples: [
      "accounts list": "shows the first page of accounts",
      "accounts unlock bob": "lets bob try passwords again",
      "accounts registration closed": "lets only administrators create accounts",
    ],
    statuses: .of(.usage),
    subcommands: [
      ListAccountsCommand.command, ShowAccountCommand.command, ChangeAccountCommand.command(.disable),
      ChangeAccountCommand.command(.enable), ChangeAccountCommand.command(.unlock), ResetPasswordCommand.command,
      ChangeAccountCommand.command(.promote), ChangeAccountCommand.command(.demote), DeleteAccountCommand.other,
      RegistrationCommand.command,
      TwoStepSettingCommand.command,
    ], request: nil)
}

/// `accounts list`.
struct ListAccountsCommand: CommandBody {
  let query: AccountsQuery
  let isShort: Bool

  static let command = Command<any CommandBody>(
    "list", summary: "List accounts",
    discussion: [
      "A page at a time. The last line shows the command for the next page. There is no order by balance, because its "
        + "index doubles what a payment writes to the disk."
    ],
    options: [filter, sort, Options.limit, after, Options.short],
    examples: [
      "accounts list": "shows the first page",
      "accounts list --filter al": "shows the accounts whose names start with al",
      "accounts list --sort last-login": "shows the latest logins first",
      "accounts list --after bob --limit 100": "shows the accounts after bob",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { words in
    ListAccountsCommand(
      query: AccountsQuery(
        namePrefix: words[filter] ?? "", order: words[sort] ?? .name,
        after: words[after], limit: words[Options.limit]),
      isShort: words[Options.short])
  }

  private static let after = Option.optional(
    "after", "USER", Kinds.username, "Show accounts after this one (the next page)")
  private static let filter = Option.optional(
    "filter", "TEXT", Kinds.text, "Show only accounts whose names start with this text")
  private static let sort = Option.optional(
    "sort", "ORDER", ValueKind<AccountsQuery.Order>.choice("an order"), "Sort the accounts (default: name)")

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(AccountsScreen.self)
    let administrator = try workspace.administrator(screen.session)
    let page = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
      try screen.page(query, of: workspace.backend, for: administrator, under: lease)
    }
    if isShort, !workspace.printer.asJSON { return workspace.names(page.items.map(\.user.username)) }
    let lines = page.items.isEmpty ? ["No accounts."] : workspace.lines(.accounts(page.items, by: query.order))
    return Answer(
      .onlyShows, lines: workspace.bar("Accounts") + lines,
      [
        "accounts": .array(page.items.map(JSON.account)),
        "next_after": .string(orNull: page.lastOfMore?.user.username),
      ],
      notes: page.lastOfMore.map { last in
        let filter = query.namePrefix.isEmpty ? [] : ["--filter", query.namePrefix]
        let sort = query.order == .name ? [] : ["--sort", query.order.rawValue]
        let next = ["accounts", "list", "--after", last.user.username]
        return [workspace.more(next + filter + sort, limit: query.limit)]
      } ?? [])
  }
}

/// `accounts show USER`.
struct ShowAccountCommand: CommandBody {
  let user: Username

  static let command = Command<any CommandBody>(
    "show", summary: "Show one account",
    arguments: [Arguments.account],
    examples: ["accounts show bob": "shows role, state and failed attempts of bob"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { words in ShowAccountCommand(user: words[Arguments.account]) }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(AccountsScreen.self)
    let administrator = try workspace.administrator(screen.session)
    let account = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
      try screen.account(user, at: workspace.backend, for: administrator, under: lease)
    }
    return workspace.describe(.onlyShows, account)
  }
}

/// `accounts disable`, `enable`, `unlock`, `promote` and `demote USER`.
struct ChangeAccountCommand: CommandBody {
  let change: AccountChange
  let user: Username

  static func command(_ change: AccountChange) -> Command<any CommandBody> {
    let ofRoles = "Sessions of the account continue with the new role. The last administrator cannot be demoted."
    let recently = "Needs a password that you entered recently, and asks for it on a terminal."
    return Command(
      change.rawValue, summary: change.words.summary,
      discussion: (change == .promote || change == .demote ? [ofRoles] : []) + [recently],
      arguments: [Arguments.account],
      examples: ["accounts \(change.rawValue) bob": change.words.shows],
      statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
    ) { words in ChangeAccountCommand(change: change, user: words[Arguments.account]) }
  }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer {
    let screen = try await workspace.open(AccountsScreen.self)
    _ = try workspace.administrator(screen.session)
    if change == .promote { try await sayWhatIsMissing(user, on: screen, in: workspace) }
    let fresh = try await workspace.fresh(screen.session)
    let administrator = try workspace.administrator(fresh.session)
    let changed = try await workspace.ask(fresh.session) { (lease) throws(BackendError) in
      try change.make(to: user, at: workspace.backend, for: administrator, fresh, under: lease)
    }
    if changed.user.id == fresh.session.user.id { await workspace.forgetRevoked() }
    let shown = TextEscaping.escape(changed.user.username)
    return workspace.describe(
      .changed("\(shown) is \(change.words.done)", hint: "Look with: \(run: "accounts", "show", shown)"), changed)
  }

  /// Says before a promotion that the new administrator must set up a second step first.
  private func sayWhatIsMissing(
    _ name: Username, on screen: AccountsScreen, in workspace: Workspace
  ) async throws(CommandError) {
    let administrator = try workspace.administrator(screen.session)
    let isMissing = try await workspace.ask(screen.session) { (lease) throws(BackendError) in
      guard try workspace.backend.twoStepPolicy(for: administrator, under: lease) == .required else { return false }
      return try !screen.account(name, at: workspace.backend, for: administrator, under: lease).hasSecondStep
    }
    if isMissing {
      workspace.printer.say("\(name) has no second step, and must set one up before doing anything else.")
    }
  }
}

extension AccountsQuery.Order: Choice {
  package var summary: String {
    switch self {
    case .name: "by their names"
    case .lastLogin: "the latest login first"
    }
  }
}

extension Workspace {
  fileprivate func describe(_ effect: Answer.Effect, _ account: AccountSummary) -> Answer {
    let user = account.user
    var sentence: [String] = []
    switch effect {
    case .onlyShows: break
    case .changed(let what, _): sentence = ["\(what)."]
    }
    return Answer(
      effect,
      lines: bar("Accounts") + sentence + [
        "Username         \(user.username.escaped)", "Name             \(user.displayName.escaped)",
        "Role             \(user.role.rawValue)", "State            \(account.state)",
        "Failed attempts  \(account.failedAttempts)", "Second step      \(account.hasSecondStep ? "on" : "off")",
        "Last login       \(account.lastLoginAt.map { UTCTime(seconds: $0.seconds).local } ?? "never")",
        "Since            \(UTCTime(seconds: account.createdAt.seconds).local)",
      ], ["account": .account(account)])
  }
}

extension JSON {
  fileprivate static func account(_ account: AccountSummary) -> JSON {
    let wait: JSON
    let isLocked: Bool
    switch account.throttle {
    case nil: (wait, isLocked) = (.null, false)
    case .wait(let duration): (wait, isLocked) = (.integer(duration.wholeSeconds), false)
    case .locked: (wait, isLocked) = (.null, true)
    }
    return [
      "user": .user(account.user), "disabled": .bool(account.isDisabled), "locked": .bool(isLocked),
      "wait_seconds": wait, "failed_attempts": .integer(account.failedAttempts),
      "two_step": .string(account.hasSecondStep ? "on" : "off"), "created_at": .string(account.createdAt.iso8601),
      "last_login_at": .string(orNull: account.lastLoginAt?.iso8601),
    ]
  }
}
