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
    static func database(
      _ address: String, connections: Int, state: String?
    ) throws(BackendError) -> any Database {
      PostgresDatabase(
        try ServerAddress(address), connections: connections,
        confirmed: state.map { ConfirmedServer(directory: $0) })
    }

    /// Creates the tables and the first administrator.
    static func install(
      _ text: String, _ administrator: Username, _ password: Secret, _ cost: PasswordCost
    ) throws(BackendError) {
      let address = try ServerAddress(text)
      try PostgresSchema.install(address)
      let rules = Rules(
        database: PostgresDatabase(address, connections: 1), policy: .standard, cost: cost, isShared: true)
      _ = try rules.install(firstAdministrator: administrator.canonical, password: password)
    }

    static func upgrade(_ address: String) throws(BackendError) -> Bool {
      try PostgresSchema.upgrade(try ServerAddress(address))
    }

    static func check(_ address: String) throws(BackendError) -> [String] {
      try PostgresSchema.check(try ServerAddress(address))
    }

    static func remove(_ address: String, confirmation: String) throws(BackendError) -> Bool {
      try PostgresSchema.remove(try ServerAddress(address), confirmation: confirmation)
    }

    /// Fills new tables: from an embedded database, or from the functions of a server.
    static func importing(from directory: String?, into text: String) throws(BackendError) -> ImportSummary {
      let address = try ServerAddress(text)
      guard let directory else { return try PostgresSchema.importingFunctionServer(at: address) }
      return try LocalAuthority(directory: directory).export { (rows) throws(BackendError) in
        try PostgresSchema.importing(rows, into: address)
      }
    }

    static func forget(state: String) throws(BackendError) -> Bool {
      try ConfirmedServer(directory: state).forget()
    }
  #else
    static func database(
      _ address: String, connections: Int, state: String?
    ) throws(BackendError) -> any Database { throw missing }

    static func install(
      _ text: String, _ administrator: Username, _ password: Secret, _ cost: PasswordCost
    ) throws(BackendError) { throw missing }

    static func upgrade(_ address: String) throws(BackendError) -> Bool { throw missing }
    static func check(_ address: String) throws(BackendError) -> [String] { throw missing }
    static func remove(_ address: String, confirmation: String) throws(BackendError) -> Bool { throw missing }
    static func forget(state: String) throws(BackendError) -> Bool { throw missing }

    static func importing(from directory: String?, into text: String) throws(BackendError) -> ImportSummary {
      throw missing
    }

    private static let missing = BackendError.invalid(.postgresMissing)
  #endif

  /// The address in a file: its first line.
  static func address(inFile path: String) throws(ServiceError) -> String {
    guard let file = fopen(path, "re") else {
      throw ServiceError(
        .cannotTell, "\(path.escaped) cannot be read: \(ErrorNumber.current.explanation)",
        hint: "Write the address into it, such as postgresql://host/database.")
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    guard fgets(&line, Int32(line.count), file) != nil else {
      throw ServiceError(.usage, "\(path.escaped) is empty", hint: "Write postgresql://host/database into it.")
    }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(text.prefix { $0 != "\n" && $0 != "\r" })
  }
}
