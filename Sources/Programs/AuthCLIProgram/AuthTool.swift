import AuthMessages
import AuthService
import CommandLineKit

/// The one declaration of `auth-cli`: what the parser, help, the man page and the completions are
/// made of.
///
/// Each command is declared beside its body, in `Commands/`.
enum AuthTool {
  static let tool: Tool<CommandBody> = Tool(
    name: "auth-cli",
    groups: [
      "Session": [
        RegisterCommand.command, LogInCommand.command, LogOutCommand.command, StatusCommand.command,
        ReauthenticateCommand.command, TwoStepCommand.command, RequireCommand.command, ContextsCommand.command,
        WatchCommand.command,
      ],
      "Your own tools": [ProveCommand.command, VerifyCommand.command],
      "Access tokens": [TokenCommand.command, RunCommand.command, CredentialCommand.command, MCPCommand.command],
      "Screens": [
        AppCommand.command, HomeCommand.command, PayCommand.command, ReceiptsCommand.command, ProfileCommand.command,
        SessionsCommand.command, ChangePasswordCommand.command, EventsCommand.command,
      ],
      "A forgotten password": [RecoveryCodesCommand.command, RecoverCommand.command],
      "Administration": [AccountsCommand.command],
      "About the program": [
        MachineCommand.command, HelpCommand.command, ManualCommand.command, CompletionsCommand.command,
      ],
    ],
    globalOptions: [
      Options.json.declaration, Options.quiet.declaration, Options.context.declaration, Options.resource.declaration,
      Options.noColor.declaration, Options.verbose.declaration,
    ],
    frequent: { word in
      switch word.text {
      case "status", "whoami": StatusCommand.command
      case "require": RequireCommand.command
      case "token": TokenCommand.command
      case "run": RunCommand.command
      case "credential": CredentialCommand.command
      case "login": LogInCommand.command
      case "logout": LogOutCommand.command
      case "pay": PayCommand.command
      case "receipts": ReceiptsCommand.command
      case "profile": ProfileCommand.command
      case "contexts": ContextsCommand.command
      case _: nil
      }
    },
    about: {
      About(
        version: Release.version,
        date: Release.date,
        summary: "login, pay and logout, with sessions that cannot be used wrongly",
        discussion: [
          "With a local account, you 'register', 'login', and use the screens that need a login: 'pay', 'receipts', your "
            + "'profile'. A 'logout' ends all of it. Accounts, sessions and play money are in one database on this machine, "
            + "or in a service for several people and machines.",
          "At an identity provider that speaks OAuth 2.0, you log in once, and scripts and other programs get access tokens.",
          "Read more in the article 'Use auth-cli': \(InstalledDocument.path("auth-cli/UseTheProgram.md"))",
        ],
        firstSteps: [
          "register alice": "create a local account",
          "login alice": "log in",
          "pay 5 --to bob": "pay a user who has registered",
          "logout": "log out",
          "login --provider https://id.example.com --client-id cli": "log in at an identity provider",
          "token": "print an access token",
        ],
        statuses: statuses.map { ($0.rawValue, $1) },
        glossaries: [environment, files, prompt, ErrorGlossary.page])
    })

  private static let statuses: KeyValuePairs<ExitStatus, String> = [
    .done: "done, or yes",
    .no: "no: refused, not enough money, or the answer to 'status' or 'require'",
    .usage: "the command line or the input is not valid; nothing was changed",
    .cannotTell:
      "cannot tell or cannot save: a file or the database is missing, damaged, busy, full or not permitted",
    .logInFirst: "log in first, or enter the password again with 'reauth'",
    .credentials: "wrong name, password or code",
    .throttled: "too many attempts; the message says when to try again",
  ]

  private static let environment = About.Glossary(
    title: "Environment", topic: "environment",
    entries: [
      "AUTH_CLI_HOME":
        "the directory for the database and the sessions, instead of the XDG directories; must not be a symbolic link",
      "AUTH_CLI_AUTHORITY": "where the accounts are, instead of your database on this machine: "
        + "unix:/run/auth-cli/authority.sock for a service on this machine, ssh://[user@]host[:port][/socket] for one "
        + "that ssh reaches, several hosts with commas; if the key has a forced command, that command chooses the "
        + "socket; a login at an identity provider does not use this variable",
      "AUTH_CLI_CONTEXT": "the context to use when --context is not given",
      "AUTH_CLI_DEBUG": "does the same as --verbose when it is set and not empty",
      "BROWSER": "programs that open the pages of a login, with colons between them and %s for the address; otherwise "
        + "xdg-open",
      "XDG_DATA_HOME": "where the database is stored, in auth-cli/; relative values are ignored",
      "XDG_STATE_HOME": "where sessions are stored, in auth-cli/; relative values are ignored",
      "NO_COLOR": "no colour when it is set and not empty",
      "TERM": "no colour when it is unset, empty or 'dumb'",
      "COLUMNS": "the width of the output if the terminal does not report one",
      "TZ": "the time zone of times shown to people",
    ])

  /// What a person copies into the settings of a shell.
  private static let prompt = About.Glossary(
    title: "Shell prompt", topic: "prompt",
    entries: [
      "bash": "PS1='$(auth-cli status --short) '$PS1",
      "zsh": "setopt prompt_subst; PS1='$(auth-cli status --short) '$PS1",
      "fish": "function fish_right_prompt; auth-cli status --short; end",
      "starship": "[custom.auth], and on lines of their own: command = 'auth-cli status --short', when = true",
      "cost": "about three times that of /bin/true, each time the prompt is shown",
    ])

  private static let files = About.Glossary(
    title: "Files", topic: "files",
    entries: [
      "~/.local/share/auth-cli/authority.db":
        "accounts, sessions, payments and events, unless AUTH_CLI_HOME or XDG_DATA_HOME is set",
      "~/.local/state/auth-cli/":
        "the session of each context, and what it remembers of an identity provider, unless AUTH_CLI_HOME or "
        + "XDG_STATE_HOME is set",
    ])
}
