import AuthBackend
import AuthCore
import CommandLineKit

/// `schema`: groups the commands of whoever runs a server.
enum SchemaCommand {
  static var command: Command<any CommandBody> {
    Command("schema") {
      .init(
        summary: "Make and check the tables of a PostgreSQL server",
        discussion: [
          "AUTH_CLI_AUTHORITY names the database, as for every command. Your role must own the database and have "
            + "CREATEROLE. Each of these is done whole, or nothing is changed."
        ],
        examples: [
          .init("schema install --administrator alice", "makes the tables, and alice's account"),
          .init("schema check", "names what differs from what this program makes"),
        ],
        statuses: .of(.usage),
        subcommands: [
          InstallSchemaCommand.command, UpgradeSchemaCommand.command, CheckSchemaCommand.command,
          RemoveSchemaCommand.command,
        ], request: nil)
    }
  }
}

/// A command of whoever runs a server.
protocol ServerCommand: CommandBody {
  func run(with tools: any SchemaTools) throws(CommandError) -> Answer
}

extension ServerCommand {
  var asksDatabase: Bool { true }

  func runAtOnce(_ run: Run) throws(CommandError) -> Answer? {
    guard let tools = run.schemaTools else {
      throw CommandError(
        .usage, "no_server", "\(HandOver.variable) is not set, and the embedded database needs no schema",
        hint: "Name the database: export \(HandOver.variable)=postgresql://host/database")
    }
    return try self.run(with: tools)
  }

  func run(_ run: Run) async throws(CommandError) -> Answer {
    preconditionFailure("runAtOnce has answered or thrown")
  }

  fileprivate func asked<Result>(_ body: () throws(BackendError) -> Result) throws(CommandError) -> Result {
    do throws(BackendError) { return try body() } catch { throw CommandError(error) }
  }
}

/// `schema install --administrator USER`.
struct InstallSchemaCommand: ServerCommand {
  let administrator: String
  let passwordFromInput: Bool

  static var command: Command<any CommandBody> {
    Command("install") {
      .init(
        summary: "Make the tables, and the first administrator's account",
        discussion: ["It makes the role auth_cli. Grant it to the role of each person: GRANT auth_cli TO role."],
        options: [Options.administrator, Options.passwordFromInput],
        examples: [.init("schema install --administrator alice", "asks for alice's new password, twice")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        InstallSchemaCommand(
          administrator: try words[Options.administrator], passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  func run(with tools: any SchemaTools) throws(CommandError) -> Answer {
    let password =
      passwordFromInput
      ? Password(bytes: try PasswordQuestion.line())
      : try PasswordQuestion.new(for: administrator) { (password) throws(BackendError) in
        _ = try PasswordPolicy.accept(password, for: try Username(administrator))
      }
    let server = try asked { () throws(BackendError) in
      try tools.install(administrator: administrator, password: password)
    }
    return Answer(
      .changed("the schema is installed", hint: "Look with: auth-cli schema check"),
      lines: ["Installed in the database \(escaping: server.database) at \(escaping: server.place)."],
      ["installed": .bool(true), "server": .server(server)],
      notes: ["Let people in, in SQL: GRANT auth_cli TO their_role"])
  }
}

/// `schema upgrade`.
struct UpgradeSchemaCommand: ServerCommand {
  static var command: Command<any CommandBody> {
    Command("upgrade") {
      .init(
        summary: "Take older tables forward to this version",
        examples: [.init("schema upgrade", "changes the tables while others go on working")],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { _ throws(UsageError) in UpgradeSchemaCommand() }
    }
  }

  func run(with tools: any SchemaTools) throws(CommandError) -> Answer {
    guard let server = try asked({ () throws(BackendError) in try tools.upgrade() }) else {
      return Answer(.onlyShows, lines: ["Nothing to do: the schema has this version."], ["upgraded": .bool(false)])
    }
    return Answer(
      .changed("the schema is upgraded", hint: "Look with: auth-cli schema check"),
      lines: ["Upgraded the database \(escaping: server.database)."],
      ["upgraded": .bool(true), "server": .server(server)])
  }
}

/// `schema check`.
struct CheckSchemaCommand: ServerCommand {
  static var command: Command<any CommandBody> {
    Command("check") {
      .init(
        summary: "Compare tables, functions and rights with what they should be",
        examples: [.init("schema check", "names each difference, on a line")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { _ throws(UsageError) in CheckSchemaCommand() }
    }
  }

  func run(with tools: any SchemaTools) throws(CommandError) -> Answer {
    let differences = try asked { () throws(BackendError) in try tools.check() }
    return Answer(
      .onlyShows, status: differences.isEmpty ? .done : .no,
      lines: differences.isEmpty ? ["The schema is in order."] : differences.map { TextEscaping.escape($0) },
      ["in_order": .bool(differences.isEmpty), "differences": .array(differences.map { .string($0) })])
  }
}

/// `schema remove --database NAME`.
struct RemoveSchemaCommand: ServerCommand {
  let confirmation: String

  static var command: Command<any CommandBody> {
    Command("remove") {
      .init(
        summary: "Remove the tables with all accounts and all money",
        options: [Options.confirmation],
        examples: [.init("schema remove --database accounts", "removes them from the database 'accounts'")],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in RemoveSchemaCommand(confirmation: try words[Options.confirmation]) }
    }
  }

  func run(with tools: any SchemaTools) throws(CommandError) -> Answer {
    guard let server = try asked({ () throws(BackendError) in try tools.remove(confirmation: confirmation) }) else {
      return Answer(.onlyShows, lines: ["Nothing to do: there is no schema."], ["removed": .bool(false)])
    }
    return Answer(
      .changed("the schema is removed", hint: "Nothing is left of it."),
      lines: ["Removed the schema from the database \(escaping: server.database)."],
      ["removed": .bool(true), "server": .server(server)])
  }
}

extension Options {
  fileprivate static let administrator = Option.required(
    "administrator", "USER", Kinds.username, "The name of the first account, an administrator's")
  fileprivate static let confirmation = Option.required(
    "database", "NAME", ValueKind.text("the name of a database", maximumBytes: 63),
    "The name of the database, so that nobody removes the wrong one")
}
