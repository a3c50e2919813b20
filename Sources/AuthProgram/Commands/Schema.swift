import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

/// `schema`: groups the commands for the owner of a database on a server.
enum SchemaCommand {
  static var command: Command<any CommandBody> {
    Command("schema") {
      .init(
        summary: "Set up a PostgreSQL database",
        discussion: [
          "AUTH_CLI_AUTHORITY names the database, as for every command. Your role must own the database and have "
            + "CREATEROLE. Each of these commands runs in one transaction: if it fails, nothing is changed."
        ],
        examples: [
          .init("schema install --first-administrator alice", "creates the tables and alice's account"),
          .init("schema check", "lists what was changed by hand"),
        ],
        statuses: .of(.usage),
        subcommands: [
          InstallSchemaCommand.command, ImportSchemaCommand.command, UpgradeSchemaCommand.command,
          CheckSchemaCommand.command,
          RemoveSchemaCommand.command,
        ], request: nil)
    }
  }
}

/// What the owner of a database on a server works with.
struct ServerOwnership: CommandPlace {
  private let tools: any SchemaTools

  static var asksDatabase: Bool { true }

  init(_ run: Run, onlyLooks: Bool) throws(CommandError) {
    guard let tools = run.schemaTools else {
      if HandOver.service != nil {
        throw CommandError(
          .noServer, "\(HandOver.variable) names a service, which creates its tables by itself",
          hint: "On the machine of the service, as its user: auth-service schema --help")
      }
      throw CommandError(
        .noServer, "\(HandOver.variable) is not set, and the embedded database needs no schema",
        hint: "Name the database: export \(HandOver.variable)=postgresql://host/database")
    }
    self.tools = tools
  }

  /// Has something done at the server.
  func ask<Result>(
    _ question: (any SchemaTools) throws(BackendError) -> Result
  ) throws(CommandError) -> Result {
    do throws(BackendError) { return try question(tools) } catch { throw CommandError(error) }
  }
}

/// `schema install --first-administrator USER`.
struct InstallSchemaCommand: CommandBody {
  let administrator: String
  let passwordFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("install") {
      .init(
        summary: "Create the tables and the account of the first administrator",
        discussion: [
          "Afterwards, grant the role auth_cli to the login role of each person, in SQL: GRANT auth_cli TO role"
        ],
        options: [Options.firstAdministrator, Options.passwordFromInput],
        examples: [.init("schema install --first-administrator alice", "asks for alice's new password, twice")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        InstallSchemaCommand(
          administrator: try words[Options.firstAdministrator], passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  func run(in owner: ServerOwnership) throws(CommandError) -> Answer {
    let password =
      passwordFromInput
      ? Password(bytes: try PasswordQuestion.line())
      : try PasswordQuestion.new(for: administrator) { (password) throws(BackendError) in
        _ = try PasswordPolicy.accept(password, for: try Username(administrator))
      }
    let server = try owner.ask { (tools) throws(BackendError) in
      try tools.install(administrator: administrator, password: password)
    }
    return Answer(
      .changed("the schema is installed", hint: "Look with: \(run: "schema", "check")"),
      lines: ["Installed in the database \(escaping: server.database) at \(escaping: server.place)."],
      ["installed": .bool(true), "server": .server(server)],
      notes: ["Grant access to each login role, in SQL: GRANT auth_cli TO role"])
  }
}

/// `schema import [--from DIRECTORY]`.
struct ImportSchemaCommand: CommandBody {
  let directory: String?

  static var command: Command<any CommandBody> {
    Command("import") {
      .init(
        summary: "Create the tables from the embedded database of a machine",
        discussion: [
          "Brings accounts, passwords, balances, receipts, events and recovery codes. Sessions stay where they are, so "
            + "everybody logs in again. The embedded database is not changed; stop using it first.",
          "The server's database must have no accounts: use import in place of install.",
        ],
        options: [Options.origin],
        examples: [.init("schema import", "brings the accounts of this machine")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in ImportSchemaCommand(directory: try words[Options.origin]) }
    }
  }

  func run(in owner: ServerOwnership) throws(CommandError) -> Answer {
    let places = try Places()
    let summary = try owner.ask { (tools) throws(BackendError) in try tools.importing(from: directory ?? places.data) }
    let server = summary.connection
    let names = summary.withoutPassword.map(\.escaped).joined(separator: ", ")
    return Answer(
      .changed("the database is imported", hint: "Look with: \(run: "schema", "check")"),
      lines: [
        "Imported \(summary.accounts) accounts, \(summary.payments) payments and \(summary.events) events into the database \(escaping: server.database) at \(escaping: server.place)."
      ],
      [
        "imported": .bool(true), "accounts": .integer(Int64(summary.accounts)),
        "payments": .integer(Int64(summary.payments)), "events": .integer(Int64(summary.events)),
        "without_password": .array(summary.withoutPassword.map { .string($0) }), "server": .server(server),
      ],
      notes: ["Sessions are not imported: everybody logs in again, with the same password."]
        + (names.isEmpty
          ? []
          : ["The passwords of these cannot be imported: \(names). Use: \(run: "accounts", "reset-password", "USER")"])
        + ["Grant access to each login role, in SQL: GRANT auth_cli TO role"])
  }
}

/// `schema upgrade`.
struct UpgradeSchemaCommand: CommandBody {
  static var command: Command<any CommandBody> {
    Command("upgrade") {
      .init(
        summary: "Upgrade an older schema to this version",
        examples: [.init("schema upgrade", "changes the tables while others keep working")],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { _ throws(UsageError) in UpgradeSchemaCommand() }
    }
  }

  func run(in owner: ServerOwnership) throws(CommandError) -> Answer {
    guard let server = try owner.ask({ (tools) throws(BackendError) in try tools.upgrade() }) else {
      return Answer(.onlyShows, lines: ["The schema has this version already."], ["upgraded": .bool(false)])
    }
    return Answer(
      .changed("the schema is upgraded", hint: "Look with: \(run: "schema", "check")"),
      lines: ["Upgraded the database \(escaping: server.database)."],
      ["upgraded": .bool(true), "server": .server(server)])
  }
}

/// `schema check`.
struct CheckSchemaCommand: CommandBody {
  static var command: Command<any CommandBody> {
    Command("check") {
      .init(
        summary: "Compare the schema and its rights with what they should be",
        examples: [.init("schema check", "prints a line for each difference")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { _ throws(UsageError) in CheckSchemaCommand() }
    }
  }

  func run(in owner: ServerOwnership) throws(CommandError) -> Answer {
    let differences = try owner.ask { (tools) throws(BackendError) in try tools.check() }
    return Answer(
      .onlyShows, status: differences.isEmpty ? .done : .no,
      lines: differences.isEmpty ? ["The schema is in order."] : differences.map(\.escaped),
      ["in_order": .bool(differences.isEmpty), "differences": .array(differences.map { .string($0) })])
  }
}

/// `schema remove --database NAME`.
struct RemoveSchemaCommand: CommandBody {
  let confirmation: String

  static var command: Command<any CommandBody> {
    Command("remove") {
      .init(
        summary: "Delete the tables with all accounts and all money",
        options: [Options.confirmation],
        examples: [.init("schema remove --database accounts", "deletes them from the database 'accounts'")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in RemoveSchemaCommand(confirmation: try words[Options.confirmation]) }
    }
  }

  func run(in owner: ServerOwnership) throws(CommandError) -> Answer {
    guard let server = try owner.ask({ (tools) throws(BackendError) in try tools.remove(confirmation: confirmation) })
    else {
      return Answer(.onlyShows, lines: ["There is no schema."], ["removed": .bool(false)])
    }
    return Answer(
      .changed("the schema is removed", hint: "All accounts are gone."),
      lines: ["Removed the schema from the database \(escaping: server.database)."],
      ["removed": .bool(true), "server": .server(server)])
  }
}

extension Options {
  fileprivate static let firstAdministrator = Option.required(
    "first-administrator", "USER", Kinds.username, "The name of the first account; it becomes administrator")
  fileprivate static let origin = Option.optional(
    "from", "DIRECTORY", ValueKind.text("a directory", maximumBytes: 512),
    "The directory of authority.db (default: where it is on this machine)")
  fileprivate static let confirmation = Option.required(
    "database", "NAME", ValueKind.text("the name of a database", maximumBytes: 63),
    "The name of the database, to confirm")
}
