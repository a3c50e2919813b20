import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

/// `accounts`: groups the commands of an administrator.
enum AccountsCommand {
  static let command = Command<CommandBody>(
    "accounts", summary: "See and change accounts, as an administrator",
    discussion: [
      "Commands that change accounts ask for your password, unless you entered it recently; without a terminal, run "
        + "'reauth' first."
    ],
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
      MembershipCommand.join, MembershipCommand.leave, GroupsCommand.command,
      RegistrationCommand.command, TwoStepSettingCommand.command,
    ], request: nil)
}

/// `accounts list`.
enum ListAccountsCommand {
  static let command = Command<CommandBody>(
    "list", summary: "List accounts",
    discussion: [
      "Prints one page; the last line shows the command for the next page."
    ],
    options: [filter, sort, Options.limit, after, Options.short],
    examples: [
      "accounts list": "shows the first page",
      "accounts list --filter al": "shows the accounts whose names start with al",
      "accounts list --sort last-login": "shows the latest logins first",
      "accounts list --after bob --limit 100": "shows the accounts after bob",
    ],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static let after = Option.optional(
    "after", "USER", Kinds.username, "Show accounts after this one (the next page)")
  private static let filter = Option.optional(
    "filter", "TEXT", Kinds.text, "Show only accounts whose names start with this text")
  private static let sort = Option.optional(
    "sort", "ORDER", ValueKind<AccountsQuery.Order>.choice("an order"), "Sort the accounts (default: name)")

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let query = AccountsQuery(
      namePrefix: words[filter] ?? "", order: words[sort] ?? .name, after: words[after], limit: words[Options.limit])
    let page = try await workspace.askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      try screen.page(
        query, of: workspace.backend, for: administrator, under: lease, isForShell: workspace.isForShell)
    }
    if words[Options.short], !workspace.output.asJSON { return workspace.names(page.items.map(\.user.username)) }
    let lines = page.items.isEmpty ? ["No accounts."] : workspace.lines(.accounts(page.items, by: query.order))
    let last = page.lastOfMore?.user.username
    let filter = query.namePrefix.isEmpty ? [] : ["--filter", query.namePrefix]
    let sort = query.order == .name ? [] : ["--sort", query.order.rawValue]
    return CommandResult(
      .onlyShows, lines: workspace.bar("Accounts") + lines,
      ["accounts": .array(page.items.map(JSON.account)), "next_after": .string(orNull: last)],
      notes: last.map { [workspace.more(["accounts", "list", "--after", $0] + filter + sort, limit: query.limit)] }
        ?? [])
  }
}

/// `accounts show USER`.
enum ShowAccountCommand {
  static let command = Command<CommandBody>(
    "show", summary: "Show one account",
    arguments: [Arguments.account],
    examples: ["accounts show bob": "shows the role, the groups, the state and the refused attempts of bob"],
    statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
  ) { _ in .inWorkspace(run) }

  private static func run(_ words: ParsedWords, in workspace: Workspace) async throws(CommandError) -> CommandResult {
    let name = words[Arguments.account]
    let (account, groups) = try await workspace.askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      (
        try screen.account(name, at: workspace.backend, for: administrator, under: lease),
        try workspace.backend.groups(of: name, for: administrator, under: lease)
      )
    }
    return workspace.describe(.onlyShows, account, in: groups)
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
  /// Opens the screen of accounts, and runs a query there with the administrator's key.
  func askOnAccounts<Value>(
    _ body: (AccountsScreen, AdminSession, borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    let screen = try await open(AccountsScreen.self)
    let administrator = try screen.session.administratorKey()
    return try await store.ask(screen.session) { (lease) throws(BackendError) in
      try body(screen, administrator, lease)
    }
  }

  func account(_ name: Username) async throws(CommandError) -> AccountSummary {
    try await askOnAccounts { (screen, administrator, lease) throws(BackendError) in
      try screen.account(name, at: backend, for: administrator, under: lease)
    }
  }

  /// Describes an account, and its groups if they were read.
  func describe(
    _ effect: CommandResult.Effect, _ account: AccountSummary, in groups: [GroupName]? = nil
  ) -> CommandResult {
    let user = account.user
    let shownGroups = groups.map { $0.isEmpty ? [] : ["Groups           \($0.words)"] } ?? []
    let sentence = if case .changed(let what, _) = effect { ["\(what)."] } else { [String]() }
    return CommandResult(
      effect,
      lines: bar("Accounts") + sentence + [
        "Username         \(user.username.escaped)", "Name             \(user.displayName.escaped)",
        "Role             \(user.role.rawValue)",
      ] + shownGroups + [
        "State            \(account.state)",
        "Refused attempts \(account.failedAttempts)", "Second step      \(account.hasSecondStep ? "on" : "off")",
        "Last login       \(account.lastLoginAt.map { UTCTime(seconds: $0.seconds).local } ?? "never")",
        "Since            \(UTCTime(seconds: account.createdAt.seconds).local)",
      ], groups.map { ["account": .account(account), "groups": $0.json] } ?? ["account": .account(account)])
  }
}

extension JSON {
  fileprivate static func account(_ account: AccountSummary) -> JSON {
    let wait: Int64? = if case .wait(let duration) = account.throttle { duration.wholeSeconds } else { nil }
    return [
      "user": .user(account.user), "disabled": .bool(account.isDisabled), "locked": .bool(account.throttle == .locked),
      "wait_seconds": .integer(orNull: wait), "failed_attempts": .integer(account.failedAttempts),
      "two_step": .string(account.hasSecondStep ? "on" : "off"), "created_at": .string(account.createdAt.iso8601),
      "last_login_at": .string(orNull: account.lastLoginAt?.iso8601),
    ]
  }
}
