import AuthBackend
import AuthCore
import AuthSQLite
import CommandLineKit
import TextFormat

/// `schema`: groups the commands for a database that no service uses.
enum SchemaCommand {
  static let command = Command<any ServiceCommand>("schema") {
    .init(
      summary: "Create, check and upgrade the database while no service runs",
      examples: [
        .init(
          "schema install --database /var/lib/auth-service --first-administrator alice",
          "creates the database and alice's account")
      ],
      statuses: .of(.usage),
      subcommands: [
        InstallCommand.command, MaintenanceCommand.upgrade, MaintenanceCommand.check, MaintenanceCommand.importing,
        MaintenanceCommand.remove,
      ], request: nil)
  }
}

/// `schema install --first-administrator NAME`.
struct InstallCommand: ServiceCommand {
  let database: DatabasePlace
  let administrator: Username
  let passwordFromInput: Bool

  static let command = Command<any ServiceCommand>("install") {
    .init(
      summary: "Create the database and the account of the first administrator",
      discussion: ["Registration is closed until the administrator opens it: auth-cli accounts registration open"],
      options: [Options.database, Options.postgres, administratorName, Options.passwordFromInput],
      examples: [
        .init(
          "schema install --database /var/lib/auth-service --first-administrator alice",
          "asks for alice's new password, twice")
      ],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in
      InstallCommand(
        database: try DatabasePlace(words), administrator: try words[administratorName],
        passwordFromInput: try words[Options.passwordFromInput])
    }
  }

  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit {
    let password = try newPassword()
    let database = try database.resolved()
    do throws(BackendError) {
      _ = try PasswordPolicy.accept(password, for: administrator)
      switch database {
      case .sqlite(let directory):
        let authority = LocalAuthority(directory: directory, cost: program.cost, isShared: true)
        _ = try authority.rules.install(firstAdministrator: administrator.canonical, password: password)
      case .postgres(let address):
        try Postgres.install(address, administrator, password, program.cost)
      case .postgresFile: preconditionFailure("resolved has read the file")
      }
    } catch {
      throw ServiceError(error)
    }
    try Output.write("Created the database; \(administrator.canonical) is its administrator.\n")
    return .done
  }

  private func newPassword() throws(ServiceError) -> Secret {
    do throws(PromptError) {
      if passwordFromInput { return Secret(bytes: try SecretLines().whole(["password"])[0]) }
      let terminal = try SilentTerminal.controlling(for: "password", insteadUse: "--password-stdin")
      let first = try terminal.ask("New password for \(administrator.canonical): ")
      guard try terminal.ask("Repeat the new password: ") == first else {
        throw PromptError.missingLine(of: "the same password twice")
      }
      return Secret(bytes: first)
    } catch {
      throw ServiceError(error)
    }
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

  /// What came of it.
  enum Outcome: Sendable {
    /// Done, which these lines say.
    case done([String])
    case checked(faults: [String])
  }

  let action: Action
  let database: DatabasePlace

  static let upgrade = plain(
    .upgrade, "upgrade", "Bring an older database to this version",
    ["Services of the release before go on working on PostgreSQL, so upgrade the database first, then each service."],
    statuses: .of(.done, .no, .usage, .cannotTell))
  static let check = plain(
    .check, "check", "Compare the database with what it should be",
    ["Prints a line for each difference; status 1 means that there are some."],
    statuses: .of(.done, .no, .usage, .cannotTell))

  static let importing = Command<any ServiceCommand>("import") {
    .init(
      summary: "Fill a new PostgreSQL database from another one",
      discussion: [
        "With --from: accounts, passwords, balances, receipts, events and codes of an SQLite database. "
          + "Without: those of a PostgreSQL database of release 0.1, in the same database, whose programs are refused "
          + "from then on. Sessions are not imported: everybody logs in again."
      ],
      options: [Options.database, Options.postgres, origin],
      examples: [
        .init(
          "schema import --postgres-file /etc/auth-service/postgres --from /var/lib/auth-service",
          "brings an SQLite database to PostgreSQL")
      ],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in
      MaintenanceCommand(action: .importing(from: try words[origin]), database: try DatabasePlace(words))
    }
  }

  static let remove = Command<any ServiceCommand>("remove") {
    .init(
      summary: "Delete the tables of a PostgreSQL database, with all accounts and all money",
      options: [Options.database, Options.postgres, confirmation],
      examples: [
        .init(
          "schema remove --postgres-file /etc/auth-service/postgres --confirm accounts",
          "deletes them from the database 'accounts'")
      ],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in
      MaintenanceCommand(action: .remove(confirmation: try words[confirmation]), database: try DatabasePlace(words))
    }
  }

  private static func plain(
    _ action: Action, _ name: String, _ summary: String, _ discussion: [String],
    statuses: @autoclosure @escaping @Sendable () -> [StatusDeclaration]
  ) -> Command<any ServiceCommand> {
    Command(name) {
      .init(
        summary: summary, discussion: discussion, options: [Options.database, Options.postgres],
        examples: [.init("schema \(name) --database /var/lib/auth-service", summary.lowercasedFirst)],
        statuses: statuses()
      ) { words throws(UsageError) in MaintenanceCommand(action: action, database: try DatabasePlace(words)) }
    }
  }

  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit {
    let database = try database.resolved()
    do throws(BackendError) {
      switch database {
      case .sqlite(let directory): return show(try perform(on: LocalAuthority(directory: directory)))
      case .postgres(let address): return show(try Postgres.perform(action, at: address))
      case .postgresFile: preconditionFailure("resolved has read the file")
      }
    } catch {
      throw ServiceError(error)
    }
  }

  private func perform(on authority: LocalAuthority) throws(BackendError) -> Outcome {
    switch action {
    case .upgrade:
      try authority.holdAlone()
      return .done(["The database has this version."])
    case .check:
      try authority.holdAlone()
      return .checked(faults: try authority.faults())
    case .importing, .remove: throw .invalid(.postgresNeeded)
    }
  }

  /// What is printed is not needed for the status.
  private func show(_ outcome: Outcome) -> ServiceExit {
    let lines =
      switch outcome {
      case .done(let lines): lines
      case .checked(let faults) where faults.isEmpty: ["The database is in order."]
      // The definition of a function has many lines.
      case .checked(let faults): faults.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ").escaped }
      }
    try? Output.write(lines.map { $0 + "\n" }.joined())
    if case .checked(let faults) = outcome, !faults.isEmpty { return .no }
    return .done
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

  static let command = Command<any ServiceCommand>("forget-timeline") {
    .init(
      summary: "Accept a PostgreSQL server that an older one was promoted to",
      discussion: [
        "The service refuses a server that is older than the one that confirmed its last change. "
          + "Run this once you have made sure that the older server is the right one, for example after a restore."
      ],
      options: [state],
      examples: [.init("forget-timeline", "accepts the server that answers next")],
      statuses: .of(.done, .usage, .cannotTell)
    ) { words throws(UsageError) in ForgetTimelineCommand(directory: try words[state] ?? "/var/lib/auth-service") }
  }

  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit {
    let wasKnown: Bool
    do throws(BackendError) { wasKnown = try Postgres.forget(state: directory) } catch { throw ServiceError(error) }
    try Output.write(wasKnown ? "The next server that answers is accepted.\n" : "No server was known.\n")
    return .done
  }

  private static let state = Option.optional(
    "state", "DIRECTORY", Kinds.path, "The state directory of the service, if not /var/lib/auth-service",
    environment: "STATE_DIRECTORY")
}
