import AuthBackend
import AuthCore
import AuthMessages
import AuthSQLite
import AuthService
import CommandLineKit
import TextFormat

/// Which database a command is about.
enum DatabasePlace: Hashable, Sendable {
  case sqlite(directory: String)
  case postgres(PostgresAddress)

  init(_ words: ParsedWords) throws(UsageError) {
    let address = Environment.value("AUTH_SERVICE_POSTGRES")
    if let file = words[Options.postgres] {
      if words.origin(of: Options.database) == .commandLine {
        let (database, postgres) = (Options.database.declaration.flag, Options.postgres.declaration.flag)
        throw UsageError(problem: .excludedOption(database, by: postgres), path: words.path)
      }
      self = .postgres(.inFile(file))
    } else if words.origin(of: Options.database) != .commandLine, let address, !address.isEmpty {
      self = .postgres(.text(address))
    } else if let directory = words[Options.database] {
      self = .sqlite(directory: directory)
    } else {
      throw UsageError(problem: .missingOption(Options.database.declaration.usage), path: words.path)
    }
  }

  /// For people and for the log; an address is not shown.
  var kind: String {
    switch self {
    case .sqlite: "sqlite"
    case .postgres: "postgresql"
    }
  }
}

/// The database of a service, with its rules.
struct ServedBackend: Sendable {
  let rules: Rules
  /// The threads that may wait for it at the same moment.
  let threads: Int
  /// How often others may have changed it unseen.
  let looksEvery: Duration
  /// Nil where its own tools make copies.
  let copy: Copying?

  /// How a copy of the database is made.
  struct Copying: Sendable {
    /// Where there is room for one.
    let directory: String
    /// Copies one state of the database to a new file.
    let write: @Sendable (_ file: String) throws(BackendError) -> Void
  }

  /// Opens it for a service.
  ///
  /// An SQLite file is locked: no other process may use it until this one ends. One on PostgreSQL
  /// is refused while a service uses it, if this one wants to be alone.
  static func open(
    _ place: DatabasePlace, cost: PasswordCost, threads: Int?, hashThreads: Int, isAlone: Bool = false
  ) throws(CommandError) -> ServedBackend {
    switch place {
    case .sqlite(let directory):
      let authority = LocalAuthority(directory: directory, cost: cost, isShared: true)
      try explained { () throws(BackendError) in try authority.holdAlone() }
      let copy = Copying(directory: directory) { (file) throws(BackendError) in try authority.copy(to: file) }
      return ServedBackend(rules: authority.rules, threads: threads ?? 2, looksEvery: .seconds(10), copy: copy)
    case .postgres(let address):
      let (threads, address) = (threads ?? 32, try address.text)
      let state = Environment.value("STATE_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
      let database = try explained { () throws(BackendError) in
        // Hash threads, the feed of changes and an operator need connections too.
        try Postgres.database(address, connections: threads + hashThreads + 2, state: state, isAlone: isAlone)
      }
      return ServedBackend(
        rules: Rules(database: database, policy: .standard, cost: cost, isShared: true), threads: threads,
        looksEvery: .seconds(1), copy: nil)
    }
  }
}

extension ServedBackend {
  /// Which database it is; one without an administrator is not served.
  var facts: ServedDatabase {
    get throws(CommandError) {
      let facts = try explained { () throws(BackendError) in try ServedDatabase(rules.database) }
      guard facts.hasAdministrator else {
        throw CommandError(
          .no, saying: "the database has no administrator",
          hint: "Create one: auth-service schema install --first-administrator NAME")
      }
      return facts
    }
  }
}
