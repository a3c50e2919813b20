import AuthAccounts
import AuthMessages
import AuthService
import CommandLineKit
import Glibc

/// The one declaration of `auth-service`, from which its parser and its help follow.
enum ServiceTool {
  static let name = "auth-service"

  static let tool: Tool<ServiceCommand> = Tool(
    name: name,
    groups: [
      "Service": [
        RunCommand.command, ConnectCommand.command, SchemaCommand.command, AfterRestoreCommand.command,
        ForgetTimelineCommand.command,
      ],
      "For operators of a running service": [
        OperatorCommand.health, OperatorCommand.metrics, OperatorCommand.sessions, OperatorCommand.resetPassword,
        OperatorCommand.twoStep, OperatorCommand.events, OperatorCommand.backup,
      ],
      "About the program": [ServiceHelpCommand.help, ServiceHelpCommand.manual],
    ],
    globalOptions: [],
    about: {
      About(
        version: Release.version, date: Release.date,
        summary: "share one database of accounts between people and machines",
        discussion: [
          "People use auth-cli with AUTH_CLI_AUTHORITY=unix:\(StandardPaths.socket), or ssh://HOST. "
            + "The service alone reads and writes the database.",
          "Commands that name a database run as the user of the service: as root, put 'runuser -u auth-cli --' before them.",
          "Read more in the article 'Running the service': \(InstalledDocument.path("auth-service/RunningService.md"))",
        ],
        firstSteps: [
          "schema install --database /var/lib/auth-service --first-administrator alice":
            "create the database, as the user of the service",
          "run --database /var/lib/auth-service": "start the service, as that user",
          "health": "see whether it works",
        ],
        statuses: [
          (ExitStatus.done.rawValue, "done, or yes"),
          (ExitStatus.no.rawValue, "no: refused, or not healthy"),
          (ExitStatus.usage.rawValue, "the command line or the input is not valid; nothing was changed"),
          (ExitStatus.cannotTell.rawValue, "a file, a socket or the database is missing, damaged, busy or denied"),
        ],
        glossaries: [
          .init(
            title: "Environment", topic: "environment",
            entries: [
              "STATE_DIRECTORY": "the directory of the database, where --database is not given",
              "AUTH_SERVICE_POSTGRES": "a PostgreSQL database instead: postgresql://host/database, without a password",
              "AUTH_SERVICE_OPERATORS": "the socket for operators, where --operators is not given",
              "LISTEN_FDS, NOTIFY_SOCKET": "set by systemd",
            ]), ErrorGlossary.page,
        ])
    })
}

/// `help` and `man`.
enum ServiceHelpCommand {
  static let help = Command<ServiceCommand>(
    "help", summary: "Show help", arguments: [words], examples: ["help run": "explains a command"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { parsed in ServiceCommand { _ throws(CommandError) in try show(parsed[words]) } }

  static let manual = Command<ServiceCommand>(
    "man", summary: "Print the manual page", examples: ["man | man -l -": "shows the page"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in ServiceCommand { _ throws(CommandError) in try Output.write(ServiceTool.tool.manual) } }

  static func show(_ topic: [String]) throws(CommandError) -> ExitStatus {
    let width = TerminalWidth.columns(of: STDOUT_FILENO, environment: Environment.value)
    return try Output.write(try Help(ServiceTool.tool, width: width).page(topic))
  }

  private static let words = Argument.rest(
    "COMMAND", .helpTopic("a command"), "A command, or a topic; if omitted, the overview")
}

/// Where the service keeps its sockets and its database by default.
enum StandardPaths {
  static let socket = "/run/auth-cli/authority.sock"
  static let operators = "/run/auth-service/operators.sock"
  static let state = "/var/lib/auth-service"
}

/// Kinds of values and options that several commands have.
enum ServiceKinds {
  /// An address of a database is not one: it may contain a password, and messages repeat paths.
  static let path = ValueKind<String>("a path", accepted: "the path of a file or a directory on this machine") { word in
    ValueKind<String>.text("a path", maximumBytes: 512).convert(word).flatMap {
      $0.utf8.first != UInt8(ascii: "/") && ($0.contains("://") || $0.contains("=")) ? nil : $0
    }
  }
  static let username = ValueKind("a user name", accepted: Username.rule) { word -> Username? in
    word.text.flatMap { try? Username($0) }
  }
}

enum ServiceOptions {
  static let socket = Option.standard(
    "socket", "PATH", ServiceKinds.path, "The socket for people", standard: StandardPaths.socket,
    shownAs: StandardPaths.socket)
  static let database = Option.optional(
    "database", "DIRECTORY", ServiceKinds.path, "The directory of the SQLite database", environment: "STATE_DIRECTORY")
  static let postgres = Option.optional(
    "postgres-file", "FILE", ServiceKinds.path,
    "A file with the address of a PostgreSQL database, on one line besides comments (#); or set AUTH_SERVICE_POSTGRES")
  static let databases: [any DeclaredOption] = [database, postgres]
  static let operators = Option.standard(
    "operators", "PATH", ServiceKinds.path, "The socket for operators", standard: StandardPaths.operators,
    shownAs: StandardPaths.operators, environment: "AUTH_SERVICE_OPERATORS")
  static let passwordFromInput = Option.flag("password-stdin", "Read the new password from standard input")
}
