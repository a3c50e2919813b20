import AuthBackend
import AuthCore
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `schema`: groups the commands for a database that no service uses.
enum SchemaCommand {
  static let command = Command<any ServiceCommand>(
    "schema", summary: "Create, check and upgrade the database while no service runs",
    examples: [
      "schema install --database /var/lib/auth-service --first-administrator alice":
        "creates the database and alice's account"
    ],
    statuses: .of(.usage),
    subcommands: [
      InstallCommand.command, MaintenanceCommand.upgrade, MaintenanceCommand.check, MaintenanceCommand.importing,
      MaintenanceCommand.remove,
    ], request: nil)
}

/// `schema install --first-administrator NAME`.
struct InstallCommand: ServiceCommand {
  let database: DatabasePlace
  let administrator: Username
  let passwordFromInput: Bool

  static let command = Command<any ServiceCommand>(
    "install", summary: "Create the database and the account of the first administrator",
    discussion: ["Registration is closed until the administrator opens it: auth-cli accounts registration open"],
    options: [Options.database, Options.postgres, administratorName, Options.passwordFromInput],
    examples: [
      "schema install --database /var/lib/auth-service --first-administrator alice":
        "asks for alice's new password, twice"
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in
    InstallCommand(
      database: try DatabasePlace(words), administrator: words[administratorName],
      passwordFromInput: words[Options.passwordFromInput])
  }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    let password = try newPassword()
    try explained { () throws(BackendError) in _ = try PasswordPolicy.accept(password, for: administrator) }
    switch database {
    case .sqlite(let directory):
      let rules = LocalAuthority(directory: directory, cost: program.cost, isShared: true).rules
      try explained { () throws(BackendError) in
        _ = try rules.install(firstAdministrator: administrator.canonical, password: password)
      }
    case .postgres(let address):
      let address = try address.text
      try explained { () throws(BackendError) in
        try Postgres.install(address, administrator, password, program.cost)
      }
    }
    try Output.write("Created the database; \(administrator.canonical) is its administrator.\n")
    return .done
  }

  private func newPassword() throws(CommandError) -> Secret {
    let bytes = try explained { () throws(PromptError) in
      if passwordFromInput { return try SecretLines().whole(["password"])[0] }
      let terminal = try SilentTerminal.controlling(insteadUse: Options.passwordFromInput.declaration.flag)
      let first = try terminal.ask("New password for \(administrator.canonical): ")
      guard try terminal.ask("Repeat the new password: ") == first else {
        throw PromptError.missingLine(of: "the same password twice")
      }
      return first
    }
    return Secret(bytes: bytes)
  }

  private static let administratorName = Option.required(
    "first-administrator", "NAME", Kinds.username, "The name of the first account; it becomes administrator")
}

/// The other commands for a database.
struct MaintenanceCommand: ServiceCommand {
  enum Action: Sendable {
    case upgrade
    case check
    case importing(from: String?)
    case remove(confirmation: String)
  }

  /// What came of it, and the lines that say so.
  typealias Outcome = (status: ExitStatus, lines: [String])

  let action: Action
  let database: DatabasePlace

  static let upgrade = plain(
    .upgrade, "upgrade", "Bring an older database to this version",
    ["Services of the release before go on working on PostgreSQL, so upgrade the database first, then each service."])
  static let check = plain(
    .check, "check", "Compare the database with what it should be",
    ["Prints a line for each difference; status 1 means that there are some."])

  static let importing = Command<any ServiceCommand>(
    "import", summary: "Fill a new PostgreSQL database from another one",
    discussion: [
      "With --from: accounts, passwords, balances, receipts, events and codes of an SQLite database. "
        + "Without: those of a PostgreSQL database of release 0.1, in the same database, whose programs are refused "
        + "from then on. Sessions are not imported: everybody logs in again."
    ],
    options: [Options.database, Options.postgres, origin],
    examples: [
      "schema import --postgres-file /etc/auth-service/postgres --from /var/lib/auth-service":
        "brings an SQLite database to PostgreSQL"
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in
    MaintenanceCommand(action: .importing(from: words[origin]), database: try DatabasePlace(words))
  }

  static let remove = Command<any ServiceCommand>(
    "remove", summary: "Delete the tables of a PostgreSQL database, with all accounts and all money",
    options: [Options.database, Options.postgres, confirmation],
    examples: [
      "schema remove --postgres-file /etc/auth-service/postgres --confirm accounts":
        "deletes them from the database 'accounts'"
    ],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in
    MaintenanceCommand(action: .remove(confirmation: words[confirmation]), database: try DatabasePlace(words))
  }

  private static func plain(
    _ action: Action, _ name: String, _ summary: String, _ discussion: [String]
  ) -> Command<any ServiceCommand> {
    Command(
      name, summary: summary, discussion: discussion, options: [Options.database, Options.postgres],
      examples: ["schema \(name) --database /var/lib/auth-service": summary.lowercasedFirst],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in MaintenanceCommand(action: action, database: try DatabasePlace(words)) }
  }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    let outcome: Outcome
    switch database {
    case .sqlite(let directory):
      outcome = try explained { () throws(BackendError) in try perform(on: LocalAuthority(directory: directory)) }
    case .postgres(let address):
      let address = try address.text
      outcome = try explained { () throws(BackendError) in try Postgres.perform(action, at: address) }
    }
    // What is printed is not needed for the status.
    try? Output.write(outcome.lines.map { $0 + "\n" }.joined())
    return outcome.status
  }

  private func perform(on authority: LocalAuthority) throws(BackendError) -> Outcome {
    switch action {
    case .upgrade:
      try authority.holdAlone()
      return (.done, ["The database already has this version."])
    case .check:
      try authority.holdAlone()
      return Self.checked(faults: try authority.faults())
    case .importing, .remove: throw .invalid(.postgresNeeded)
    }
  }

  static func checked(faults: [String]) -> Outcome {
    if faults.isEmpty { return (.done, ["The database is in order."]) }
    // The definition of a function has many lines.
    return (.no, faults.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ").escaped })
  }

  private static let origin = Option.optional(
    "from", "DIRECTORY", Kinds.path, "The directory of an SQLite database")
  private static let confirmation = Option.required(
    "confirm", "NAME", ValueKind.text("the name of a database", maximumBytes: 63),
    "The name of the database, to confirm")
}

/// `forget-timeline`.
struct ForgetTimelineCommand: ServiceCommand {
  let directory: String

  static let command = Command<any ServiceCommand>(
    "forget-timeline", summary: "Accept a PostgreSQL server that an older one was promoted to",
    discussion: [
      "The service refuses a server that is older than the one that confirmed its last change. "
        + "Run this once you have made sure that the older server is the right one, for example after a restore."
    ],
    options: [state],
    examples: ["forget-timeline": "accepts the server that answers next"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words in ForgetTimelineCommand(directory: words[state] ?? "/var/lib/auth-service") }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    let wasKnown = try explained { () throws(BackendError) in try Postgres.forget(state: directory) }
    try Output.write(wasKnown ? "The next server that answers is accepted.\n" : "No server was known.\n")
    return .done
  }

  private static let state = Option.optional(
    "state", "DIRECTORY", Kinds.path, "The state directory of the service, if not /var/lib/auth-service",
    environment: "STATE_DIRECTORY")
}
