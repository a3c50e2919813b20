import AuthBackend
import AuthCore
import AuthMessages
import AuthSQLite
import Glibc
import TextFormat

#if canImport(AuthPostgres)
  import AuthPostgres
#endif

/// The database on a PostgreSQL server.
enum Postgres {
  #if canImport(AuthPostgres)
    /// Names a database; `state` is where the service keeps which server confirmed the last change.
    ///
    /// One that a service uses is refused for a program that wants to be alone.
    static func database(
      _ text: String, connections: Int, state: String?, isAlone: Bool
    ) throws(BackendError) -> any Database {
      let address = try ServerAddress(text)
      if isAlone { try PostgresSchema.requireUnused(address) }
      return PostgresDatabase(
        address, connections: connections, confirmed: state.map { ConfirmedServer(directory: $0) })
    }

    static func schema(_ text: String, cost: PasswordCost) throws(BackendError) -> any SchemaKeeper {
      PostgresTables(address: try ServerAddress(text), cost: cost)
    }

    static func forget(state: String) throws(BackendError) -> Bool {
      try ConfirmedServer(directory: state).forget()
    }
  #else
    static func database(
      _ text: String, connections: Int, state: String?, isAlone: Bool
    ) throws(BackendError) -> any Database { throw missing }

    static func schema(_ text: String, cost: PasswordCost) throws(BackendError) -> any SchemaKeeper { throw missing }

    static func forget(state: String) throws(BackendError) -> Bool { throw missing }

    private static let missing = BackendError.invalid(.postgresMissing)
  #endif
}

#if canImport(AuthPostgres)
  private struct PostgresTables: SchemaKeeper {
    let address: ServerAddress
    let cost: PasswordCost

    func create() throws(BackendError) -> Rules {
      try PostgresSchema.install(address)
      let database = PostgresDatabase(address, connections: 1)
      return Rules(database: database, policy: .standard, cost: cost, isShared: true)
    }

    func upgrade() throws(BackendError) -> Bool { try PostgresSchema.upgrade(address) }
    func check() throws(BackendError) -> [String] { try PostgresSchema.check(address) }

    func fill(from directory: String?) throws(BackendError) -> ImportSummary {
      guard let directory else { return try PostgresSchema.importingFunctionServer(at: address) }
      return try LocalAuthority(directory: directory).export { (rows) throws(BackendError) in
        try PostgresSchema.importing(rows, into: address)
      }
    }

    func remove(confirmation: String) throws(BackendError) -> Bool {
      try PostgresSchema.remove(address, confirmation: confirmation)
    }
  }
#endif

/// Where a PostgreSQL database is.
enum PostgresAddress: Hashable, Sendable {
  case text(String)
  /// In the first line of a file.
  case inFile(String)

  var text: String {
    get throws(CommandError) {
      let path: String
      switch self {
      case .text(let text): return text
      case .inFile(let name): path = name
      }
      guard let file = fopen(path, "re") else {
        let error = ErrorNumber.current
        throw CommandError(
          .cannotTell, saying: "\(path.escaped) cannot be read: \(error.explanation)",
          hint: error.code == EACCES
            ? "Let the user of the service read it: it contains no password."
            : "Write the address into it, such as postgresql://host/database.")
      }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 4096)
      guard fgets(&line, Int32(line.count), file) != nil else {
        throw CommandError(
          .usage, saying: "\(path.escaped) is empty", hint: "Write postgresql://host/database into it.")
      }
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return String(text.prefix { $0 != "\n" && $0 != "\r" })
    }
  }
}
