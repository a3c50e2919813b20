import CommandLineKit

/// The one declaration of `auth-cli`: what the parser, help, the man page and the completions are made of.
///
/// Each command is declared in a file of its own, in `Commands/`.
enum AuthTool {
  static let tool = Tool<any CommandBody>(
    name: "auth-cli",
    groups: [
      .init(
        title: "Session",
        commands: [
          RegisterCommand.command, LogInCommand.command, LogOutCommand.command, StatusCommand.command,
          ReauthenticateCommand.command, WatchCommand.command,
        ]),
      .init(
        title: "Screens",
        commands: [
          HomeCommand.command, PayCommand.command, ReceiptsCommand.command, ProfileCommand.command,
          SessionsCommand.command, ChangePasswordCommand.command, EventsCommand.command,
        ]),
      .init(title: "Administration", commands: [AccountsCommand.command, SchemaCommand.command]),
      .init(
        title: "About the program",
        commands: [
          MachineCommand.command, HelpCommand.command, ManualCommand.command, CompletionsCommand.command,
        ]),
    ],
    globalOptions: GlobalOptions.declarations,
    about: {
      About(
        version: version,
        date: date,
        summary: "a session that cannot be used wrongly",
        discussion: [
          "Logs users in, keeps their session on this device and opens guarded screens with it: payments, receipts, a profile. "
            + "Accounts, sessions and money are kept in one database on this machine, "
            + "or in a PostgreSQL database for many machines."
        ],
        firstSteps: [
          .init("register alice", "create an account"),
          .init("login alice", "log in"),
          .init("home", "look around"),
        ],
        statuses: ExitStatus.allCases.map(\.declaration),
        glossaries: [environment, files, RefusalCodes.glossary])
    })

  private static let environment = About.Glossary(
    title: "Environment", topic: "environment",
    entries: [
      .init(
        term: "AUTH_CLI_HOME",
        meaning: "directory for the database and the sessions, in place of the XDG directories; no symbolic link"),
      .init(
        term: "AUTH_CLI_AUTHORITY",
        meaning: "a PostgreSQL database in place of the embedded one: postgresql://host/database, or service=NAME; "
          + "a password goes into ~/.pgpass"),
      .init(term: "AUTH_CLI_CONTEXT", meaning: "the context to use when --context is not given"),
      .init(term: "XDG_DATA_HOME", meaning: "where the database is kept, in auth-cli/; relative values are ignored"),
      .init(term: "XDG_STATE_HOME", meaning: "where sessions are kept, in auth-cli/; relative values are ignored"),
      .init(term: "NO_COLOR", meaning: "no colour when it is set and not empty"),
      .init(term: "TERM", meaning: "no colour when it is unset, empty or 'dumb'"),
      .init(term: "COLUMNS", meaning: "the width of the output where the terminal does not tell"),
      .init(term: "TZ", meaning: "the time zone of times shown to people"),
    ])

  private static let files = About.Glossary(
    title: "Files", topic: "files",
    entries: [
      .init(
        term: "~/.local/share/auth-cli/authority.db",
        meaning: "accounts, sessions, payments and events, when neither variable is set"),
      .init(term: "~/.local/state/auth-cli/", meaning: "the session of each context, when neither variable is set"),
    ])
}

extension [StatusDeclaration] {
  /// The declarations of these statuses, in this order.
  static func of(_ statuses: ExitStatus...) -> [StatusDeclaration] {
    statuses.map(\.declaration)
  }
}
