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
  case postgres(address: String)
  case postgresFile(String)

  init(_ words: ParsedWords) throws(UsageError) {
    let address = Environment.value("AUTH_SERVICE_POSTGRES")
    if let file = try words[Options.postgres] {
      if words.origin(of: Options.database) == .commandLine {
        let (database, postgres) = (Options.database.declaration.flag, Options.postgres.declaration.flag)
        throw UsageError(problem: .excludedOption(database, by: postgres), path: words.path)
      }
      self = .postgresFile(file)
    } else if words.origin(of: Options.database) != .commandLine, let address, !address.isEmpty {
      self = .postgres(address: address)
    } else if let directory = try words[Options.database] {
      self = .sqlite(directory: directory)
    } else {
      throw UsageError(problem: .missingOption(Options.database.declaration.usage), path: words.path)
    }
  }

  /// For people and for the log; an address is not shown.
  var kind: String {
    switch self {
    case .sqlite: "sqlite"
    case .postgres, .postgresFile: "postgresql"
    }
  }

  /// With the address that a file has.
  func resolved() throws(ServiceError) -> DatabasePlace {
    guard case .postgresFile(let path) = self else { return self }
    return .postgres(address: try Postgres.address(inFile: path))
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
  /// An SQLite file is locked: no other process may use it until this one ends.
  static func open(
    _ place: DatabasePlace, cost: PasswordCost, threads: Int?, hashThreads: Int
  ) throws(ServiceError) -> ServedBackend {
    let place = try place.resolved()
    do throws(BackendError) {
      switch place {
      case .sqlite(let directory):
        let authority = LocalAuthority(directory: directory, cost: cost, isShared: true)
        try authority.holdAlone()
        let copy = Copying(directory: directory) { (file) throws(BackendError) in try authority.copy(to: file) }
        return ServedBackend(rules: authority.rules, threads: threads ?? 2, looksEvery: .seconds(10), copy: copy)
      case .postgres(let address):
        let threads = threads ?? 32
        // Hash threads, the feed of changes and an operator need connections too.
        let database = try Postgres.database(
          address, connections: threads + hashThreads + 2,
          state: Environment.value("STATE_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 })
        return ServedBackend(
          rules: Rules(database: database, policy: .standard, cost: cost, isShared: true), threads: threads,
          looksEvery: .seconds(1), copy: nil)
      case .postgresFile: preconditionFailure("resolved has read the file")
      }
    } catch {
      throw ServiceError(error)
    }
  }
}

extension ServedBackend {
  /// Which database it is; one without an administrator is not served.
  var facts: ServedDatabase {
    get throws(ServiceError) {
      let facts: ServedDatabase
      do throws(BackendError) { facts = try ServedDatabase(rules.database) } catch { throw ServiceError(error) }
      guard facts.hasAdministrator else {
        throw ServiceError(
          .no, "the database has no administrator",
          hint: "Create one: auth-service schema install --first-administrator NAME")
      }
      return facts
    }
  }
}
