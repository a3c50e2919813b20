import AuthAccounts
import AuthCore
import AuthMessages
import AuthRules
import AuthSQLite
import CommandLineKit
import Glibc
import TextFormat

#if canImport(AuthPostgres)
  import AuthPostgres
#endif

/// Opens a database on a PostgreSQL server; fails in a build without libpq.
enum Postgres {
  /// Queries for numbers of the server.
  enum ServerQuery: String, Query {
    case size = "SELECT pg_database_size(current_database())"
    /// The number of connections for roles that are not superusers.
    case connections =
      "SELECT current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint - coalesce(current_setting('reserved_connections', true), '0')::bigint"
  }

  /// A number of the server; nil when it cannot be read.
  static func number(_ query: ServerQuery, _ database: any Database) -> Int? {
    let number = try? database.read { (db) throws(BackendError) -> Int64? in try db.first(query) }
    return number.map { Int($0) }
  }

  #if canImport(AuthPostgres)
    /// A database that is not opened yet; `state` is the directory in which the service records the
    /// server that confirmed the last change.
    ///
    /// With `isAlone`, a database that a service uses is refused.
    static func database(
      _ text: String, connections: Int, state: String?, isAlone: Bool
    ) throws(BackendError) -> any Database {
      let address = try ServerAddress(text)
      if isAlone { try PostgresSchema.requireUnused(address) }
      return PostgresDatabase(
        address, connections: connections, confirmed: state.map { ConfirmedServer(directory: $0) })
    }

    static func schema(_ text: String, cost: PasswordCost) throws(BackendError) -> any ServerSchemaKeeper {
      PostgresTables(address: try ServerAddress(text), cost: cost)
    }

    static func forget(state: String) throws(BackendError) -> Bool {
      try ConfirmedServer(directory: state).forget()
    }
  #else
    static func database(
      _ text: String, connections: Int, state: String?, isAlone: Bool
    ) throws(BackendError) -> any Database { throw missing }

    static func schema(_ text: String, cost: PasswordCost) throws(BackendError) -> any ServerSchemaKeeper {
      throw missing
    }

    static func forget(state: String) throws(BackendError) -> Bool { throw missing }

    private static let missing = BackendError.invalid(.postgresMissing)
  #endif
}

#if canImport(AuthPostgres)
  private struct PostgresTables: ServerSchemaKeeper {
    let address: ServerAddress
    let cost: PasswordCost

    func create() throws(BackendError) -> Rules {
      try PostgresSchema.install(address)
      let database = PostgresDatabase(address, connections: 1)
      return Rules(database: database, policy: .standard, cost: cost, isShared: true)
    }

    func upgrade() throws(BackendError) -> Bool { try PostgresSchema.upgrade(address) }
    func check() throws(BackendError) -> [String] { try PostgresSchema.check(address) }

    func fill(from directory: String) throws(BackendError) -> ImportSummary {
      try LocalAuthority(directory: directory).export { (rows) throws(BackendError) in
        try PostgresSchema.importing(rows, into: address)
      }
    }

    func remove(confirmation: String) throws(BackendError) -> Bool {
      try PostgresSchema.remove(address, confirmation: confirmation)
    }
  }
#endif

/// The address of a PostgreSQL database.
enum PostgresAddress: Hashable, Sendable {
  case text(String)
  /// A file whose only line, besides empty lines and comments, is the address.
  case inFile(String)

  var text: String {
    get throws(CommandError) {
      let path: String
      switch self {
      case .text(let text): return text
      case .inFile(let name): path = name
      }
      guard let file = fopen(path, "re") else {
        throw CommandError(
          .cannotTell, saying: "\(path.escaped) cannot be read: \(ErrorNumber.current.explanation)",
          hint: "Write an address such as postgresql://host/database into it, and let the service's user read it.")
      }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
      let lines = text.split(whereSeparator: \.isNewline).filter { $0.first != "#" }
      guard lines.count == 1 else {
        throw CommandError(
          .usage, saying: "\(path.escaped) has \(lines.count) lines with an address, and needs one",
          hint: "Write one such as postgresql://host/database into it. Lines that begin with # are comments.")
      }
      return String(lines[0])
    }
  }
}
