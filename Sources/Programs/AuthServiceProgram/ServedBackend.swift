import AuthAccounts
import AuthMessages
import AuthRules
import AuthSQLite
import AuthServer
import CommandLineKit
import Glibc
import TextFormat

/// The database of a command.
enum DatabaseLocation: Hashable, Sendable {
  case sqlite(directory: String)
  case postgres(PostgresAddress)

  /// The database that the command line or the environment names.
  ///
  /// `options` are the options of the command that name one.
  init(_ words: ParsedWords, options: [any DeclaredOption] = ServiceOptions.databases) throws(CommandError) {
    let address = Environment.value("AUTH_SERVICE_POSTGRES")
    if let file = words[ServiceOptions.postgres] {
      if words.origin(of: ServiceOptions.database) == .commandLine {
        throw .excluded(ServiceOptions.database.declaration, by: ServiceOptions.postgres.declaration, path: words.path)
      }
      self = .postgres(.inFile(file))
    } else if words.origin(of: ServiceOptions.database) != .commandLine, let address, !address.isEmpty {
      self = .postgres(.text(address))
    } else if let directory = words[ServiceOptions.database] {
      self = .sqlite(directory: directory)
    } else {
      throw .missing(options.map(\.declaration), path: words.path)
    }
  }

  /// The hint for a database without accounts.
  var whereEmpty: String {
    let option =
      switch self {
      case .sqlite(let directory): "--database \(ShellQuoting.word(directory)) "
      case .postgres(.inFile(let file)): "--postgres-file \(ShellQuoting.word(file)) "
      case .postgres(.text): ""
      }
    return
      "If it is the right database, restore a backup, or create it: \(geteuid() == 0 ? "runuser -u auth-cli -- " : "")"
      + "auth-service schema install \(option)--first-administrator NAME"
  }

  /// The tables of the database, which is not opened yet.
  func schema(cost: PasswordCost) throws(CommandError) -> any SchemaKeeper {
    switch self {
    case .sqlite(let directory): LocalAuthority(directory: directory, cost: cost, isShared: true)
    case .postgres: try serverSchema(cost: cost)
    }
  }

  /// The tables of a database on a server, for a command that needs one.
  func serverSchema(cost: PasswordCost) throws(CommandError) -> any ServerSchemaKeeper {
    guard case .postgres(let address) = self else {
      throw CommandError(.usage, saying: "only a PostgreSQL database can do this", hint: "Name one: --postgres-file")
    }
    let text = try address.text
    return try explained { () throws(BackendError) in try Postgres.schema(text, cost: cost) }
  }

  /// The default number of threads that use the database simultaneously.
  var standardThreads: Int {
    switch self {
    case .sqlite: 2
    case .postgres: 32
    }
  }
}

/// The database of a service, with its rules.
struct ServedBackend: Sendable {
  let rules: Rules
  /// How often to check for changes that others made without a notification.
  let pollInterval: Duration
  /// The embedded database, which the service can copy; nil for PostgreSQL, which has tools for it.
  let embedded: LocalAuthority?

  /// Opens it for a service.
  ///
  /// An SQLite file is locked: no other process may use it until this one ends. A program that
  /// wants to be alone is refused a PostgreSQL database that a service uses.
  init(
    _ location: DatabaseLocation, cost: PasswordCost, connections: Int, isAlone: Bool = false
  ) throws(CommandError) {
    switch location {
    case .sqlite(let directory):
      let authority = LocalAuthority(directory: directory, cost: cost, isShared: true, isServed: !isAlone)
      try explained { () throws(BackendError) in try authority.holdAlone() }
      (rules, pollInterval, embedded) = (authority.rules, .seconds(10), authority)
    case .postgres(let address):
      let address = try address.text
      let state = Environment.value("STATE_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
      let database = try explained { () throws(BackendError) in
        try Postgres.database(address, connections: connections, state: state, isAlone: isAlone)
      }
      rules = Rules(database: database, policy: .standard, cost: cost, isShared: true)
      (pollInterval, embedded) = (.seconds(1), nil)
    }
  }

  /// Prepares an embedded database for embedded programs.
  ///
  /// - Returns: False when something still uses it; a later program that writes does this then.
  func end() -> Bool { (try? embedded?.endService()) != nil || embedded == nil }

  /// The size of the database in bytes, on SQLite with its log; nil if it is unknown.
  var size: Int? {
    guard let embedded else { return Postgres.number(.size, rules.database) }
    func size(_ suffix: String) -> Int? {
      var status = stat()
      return stat(embedded.databasePath + suffix, &status) == 0 ? Int(status.st_size) : nil
    }
    return size("").map { $0 + (size("-wal") ?? 0) }
  }

  /// The identity of the database; throws if the database never had an administrator.
  var facts: ServedDatabase {
    get throws(CommandError) {
      let facts = try explained { () throws(BackendError) in try ServedDatabase(rules.database) }
      guard facts.hasAdministrator else {
        throw CommandError(BackendError.unavailable(.schemaMissing, "the database", "it never had an administrator"))
      }
      return facts
    }
  }
}
