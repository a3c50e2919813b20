import AuthAccounts
import AuthCore
import AuthMessages
import AuthRules
import AuthSQLite
import CommandLineKit
import TextFormat

/// The operations of `auth-service schema` on a database.
protocol SchemaKeeper {
  /// Creates the tables, where they are not created with the first account.
  func create() throws(BackendError) -> Rules
  /// - Returns: Whether there was anything to do.
  func upgrade() throws(BackendError) -> Bool
  /// - Returns: What differs from what should be there.
  func check() throws(BackendError) -> [String]
}

/// The operations of `auth-service schema` that only a database on a server has.
protocol ServerSchemaKeeper: SchemaKeeper {
  /// Fills new tables from an SQLite database.
  func fill(from directory: String) throws(BackendError) -> ImportSummary
  /// - Returns: Whether there was anything to remove.
  func remove(confirmation: String) throws(BackendError) -> Bool
}

extension LocalAuthority: SchemaKeeper {
  func create() throws(BackendError) -> Rules { rules }
}

/// `schema`: commands for the database itself.
enum SchemaCommand {
  /// The exit status of a command and the lines that it prints.
  private typealias Report = (status: ExitStatus, lines: [String])

  static let command = Command<ServiceCommand>(
    "schema", summary: "Create, check and upgrade the database",
    discussion: [
      "For SQLite, stop the service first, except for 'check'. "
        + "On PostgreSQL, 'check' and 'upgrade' work while services run."
    ],
    examples: [
      "schema install --database /var/lib/auth-service --first-administrator alice":
        "creates the database and alice's account"
    ],
    statuses: .of(.usage), subcommands: [install, upgrade, check, importing, remove], request: nil)

  private static let install = acting(
    "install", "Create the database and the account of the first administrator",
    ["Registration is closed until the administrator opens it: auth-cli accounts registration open"],
    options: [administratorName, ServiceOptions.passwordFromInput],
    example: "schema install --database /var/lib/auth-service --first-administrator alice",
    shows: "asks for alice's new password, twice"
  ) { (words, database, cost) throws(CommandError) in
    let name = words[administratorName]
    let password = try newPassword(of: name, fromInput: words[ServiceOptions.passwordFromInput])
    let schema = try database.schema(cost: cost)
    try explained { () throws(BackendError) in
      _ = try schema.create().install(firstAdministrator: name.canonical, password: password)
    }
    return (.done, ["Created the database; \(name.canonical) is its administrator."])
  }

  private static let upgrade = acting(
    "upgrade", "Bring an older database to this version",
    ["On PostgreSQL, services of the previous release continue to work, so upgrade the database before them."],
    example: "schema upgrade --database /var/lib/auth-service", shows: "brings an older database to this version"
  ) { (_, database, cost) throws(CommandError) in
    let schema = try database.schema(cost: cost)
    let isUpgraded = try explained { () throws(BackendError) in try schema.upgrade() }
    return (.done, [isUpgraded ? "The database is upgraded." : "The database already has this version."])
  }

  private static let check = acting(
    "check", "Check the tables and the integrity of the database",
    [
      "Prints a line for each fault; status 1 means that there are faults. "
        + "The tables are compared with new ones. A running service checks its SQLite database itself, on request over the socket for operators."
    ], options: [ServiceOptions.operators],
    example: "schema check --database /var/lib/auth-service", shows: "says whether the database is in order"
  ) { (words, database, cost) throws(CommandError) in
    let schema = try database.schema(cost: cost)
    do throws(BackendError) {
      return report(try schema.check())
    } catch {
      guard error.code == BackendError.FailureCode.databaseInUse.rawValue,
        let file = (schema as? LocalAuthority)?.databasePath
      else { throw CommandError(error) }
      guard let status = try OperatorCommand.check(file, by: words[ServiceOptions.operators]) else {
        throw CommandError(error).withHint(
          "If a service uses it, name its socket for operators with --operators; otherwise stop the program that uses it."
        )
      }
      return (status, [])
    }
  }

  /// What `check` prints.
  static func report(_ faults: [String]) -> (status: ExitStatus, lines: [String]) {
    if faults.isEmpty { return (.done, ["The database is in order."]) }
    // The definition of a function has many lines.
    return (.no, faults.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ").escaped })
  }

  private static let importing = acting(
    "import", "Fill a new PostgreSQL database from an SQLite database",
    [
      "Imports accounts, passwords, balances, receipts, events and codes. "
        + "Sessions are not imported: everybody logs in again."
    ],
    databases: [ServiceOptions.postgres], options: [origin],
    whereEmpty: "Name the directory of the SQLite database to import with --from; nothing was changed.",
    example: "schema import --postgres-file /etc/auth-service/postgres --from /var/lib/auth-service",
    shows: "brings an SQLite database to PostgreSQL"
  ) { (words, database, cost) throws(CommandError) in
    let schema = try database.serverSchema(cost: cost)
    let new = try explained { () throws(BackendError) in try schema.fill(from: words[origin]) }
    let counts = "accounts: \(new.accounts), payments: \(new.payments), events: \(new.events)"
    return (.done, ["Imported \(counts).", "Everybody logs in again, with the same password."])
  }

  private static let remove = acting(
    "remove", "Delete the tables of a PostgreSQL database, with all accounts and all money", [],
    databases: [ServiceOptions.postgres], options: [confirmation],
    example: "schema remove --postgres-file /etc/auth-service/postgres --confirm accounts",
    shows: "deletes them from the database 'accounts'"
  ) { (words, database, cost) throws(CommandError) in
    let schema = try database.serverSchema(cost: cost)
    let isRemoved = try explained { () throws(BackendError) in try schema.remove(confirmation: words[confirmation]) }
    return (.done, [isRemoved ? "The tables are removed." : "There were no tables."])
  }

  private static func acting(
    _ name: String, _ summary: String, _ discussion: [String],
    databases: [any DeclaredOption] = ServiceOptions.databases, options: [any DeclaredOption] = [],
    whereEmpty: String? = nil, example: String, shows: String,
    _ action: @escaping @Sendable (ParsedWords, DatabaseLocation, PasswordCost) throws(CommandError) -> Report
  ) -> Command<ServiceCommand> {
    Command(
      name, summary: summary, discussion: discussion, options: databases + options,
      examples: [example: shows], statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(CommandError) in
      let database = try DatabaseLocation(words, options: databases)
      return ServiceCommand(whereEmpty: whereEmpty ?? database.whereEmpty) { program throws(CommandError) in
        let outcome = try action(words, database, program.cost)
        // What is printed is not needed for the status.
        _ = try? Output.write(outcome.lines.map { $0 + "\n" }.joined())
        return outcome.status
      }
    }
  }

  private static func newPassword(of administrator: Username, fromInput: Bool) throws(CommandError) -> Secret {
    func check(_ password: Secret, _: String) throws(BackendError) {
      _ = try PasswordPolicy.accept(password, for: administrator)
    }
    guard fromInput else {
      return try Prompt(insteadUse: ServiceOptions.passwordFromInput).newPassword(for: administrator.canonical, check)
    }
    let password = Secret(bytes: try SecretLines().whole(["password"])[0])
    try explained { () throws(BackendError) in try check(password, "") }
    return password
  }

  private static let administratorName = Option.required(
    "first-administrator", "NAME", ServiceKinds.username, "The name of the first account; it becomes administrator")
  private static let origin = Option.required(
    "from", "DIRECTORY", ServiceKinds.path, "The directory of an SQLite database")
  private static let confirmation = Option.required(
    "confirm", "NAME", ValueKind.text("the name of a database", maximumBytes: 63),
    "The name of the database, to confirm")
}

/// `forget-timeline`.
enum ForgetTimelineCommand {
  static let command = Command<ServiceCommand>(
    "forget-timeline", summary: "Accept an older PostgreSQL server, such as one that was restored",
    discussion: [
      "The service refuses a server that is older than the one that confirmed its last change. "
        + "Run this once you have made sure that the older server is the right one, for example after a restore."
    ],
    options: [state],
    examples: ["forget-timeline": "accepts the server that answers next"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words in
    ServiceCommand { _ throws(CommandError) in
      let wasKnown = try explained { () throws(BackendError) in try Postgres.forget(state: words[state]) }
      return try Output.write(wasKnown ? "The next server that answers is accepted.\n" : "No server was known.\n")
    }
  }

  private static let state = Option.standard(
    "state", "DIRECTORY", ServiceKinds.path, "The state directory of the service", standard: StandardPaths.state,
    shownAs: StandardPaths.state, environment: "STATE_DIRECTORY")
}
