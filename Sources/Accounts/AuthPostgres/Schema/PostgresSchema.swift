package import AuthAccounts
import AuthCore
import AuthDevice
package import AuthRules
import TextFormat

/// The tables of the rule book in a database, in a schema of their own.
///
/// Each of these runs in one transaction: it is done, or nothing was changed. The role that creates
/// the tables owns them, and is the one that the service connects as.
package enum PostgresSchema {
  /// The schema of the tables.
  package static let name = "auth"
  /// Nothing in a temporary schema takes the place of a table or a function.
  static let searchPath = "\(name), pg_catalog, pg_temp"
  /// What a write locks that locks everything, and what a guess at a name without an account does.
  static let (writeLock, unknownNamesLock): (Int64, Int64) = (0x4175_5331, 0x4175_5332)
  /// Every connection of a service shares it, so that nobody removes tables that are in use.
  static let usersLock: Int64 = 0x4175_5333

  /// Creates the tables.
  ///
  /// Tables without any account are left as they are, so that an installation that was interrupted
  /// can be repeated.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_exists`) when there are accounts.
  package static func install(_ address: ServerAddress) throws(BackendError) {
    let session = try SchemaSession(address)
    if try session.isInstalled() {
      guard try session.run("SELECT 1 FROM \(name).accounts LIMIT 1").isEmpty else {
        throw .refused(.schemaExists)
      }
      return
    }
    try session.run("BEGIN; \(creation(of: name))")
    try session.commit()
  }

  /// Brings older tables to a schema.
  ///
  /// - Returns: Whether there was anything to do.
  package static func upgrade(
    _ address: ServerAddress, to schema: Schema = .current
  ) throws(BackendError) -> Bool {
    let session = try SchemaSession(address)
    try session.run("BEGIN; SET LOCAL search_path = \(searchPath); LOCK TABLE \(name).facts")
    let facts = try session.attempt { () throws(ServerFault) in try Facts(of: session.connection) }
    if facts.version >= schema.version {
      if facts.oldest > schema.version {
        throw session.failure(.refused(state: ServerState.newer, "\(facts.version)"))
      }
      return false
    }
    let steps = schema.steps(from: facts.version).map(Schema.forPostgres)
    try session.run(
      "\(steps.joined(separator: "\n")); UPDATE facts SET version = \(schema.version), oldest = \(schema.oldest)")
    try session.commit()
    return true
  }

  /// Removes the tables with all accounts and all money in them.
  ///
  /// - Parameters:
  ///   - address: Where they are.
  ///   - confirmation: The name of the database, so that nobody removes the wrong one.
  /// - Returns: Whether there was anything to remove.
  /// - Throws: ``BackendError`` of kind `refused` (`confirmation_wrong`) for the name of another
  ///   database, and of kind `unavailable` (`database_in_use`) while a service is connected.
  package static func remove(_ address: ServerAddress, confirmation: String) throws(BackendError) -> Bool {
    let session = try SchemaSession(address)
    guard confirmation == session.database else {
      throw .refused(.confirmationWrong, session.database.escaped, confirmation.escaped)
    }
    guard try session.isInstalled() else { return false }
    try requireUnused(session)
    try session.run("BEGIN; DROP SCHEMA \(name) CASCADE")
    try session.commit()
    return true
  }

  /// Checks that no service is connected.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`database_in_use`) while one is.
  package static func requireUnused(_ address: ServerAddress) throws(BackendError) {
    try requireUnused(try SchemaSession(address))
  }

  /// From now on no service connects until the session ends.
  private static func requireUnused(_ session: SchemaSession) throws(BackendError) {
    guard try session.run("SELECT pg_try_advisory_lock(\(usersLock))").first?[0] == "t" else {
      throw .unavailable(.databaseInUse, "the database '\(session.database.escaped)'")
    }
  }

  /// Creates the tables in a schema of this name, in a transaction that the caller began.
  static func creation(of name: String) -> String {
    let schema = Schema.current
    return """
      CREATE SCHEMA \(name);
      SET LOCAL search_path = \(name), pg_catalog, pg_temp;
      CREATE TABLE facts(version bigint NOT NULL, oldest bigint NOT NULL, id bytea NOT NULL);
      INSERT INTO facts VALUES (\(schema.version), \(schema.oldest), uuid_send(gen_random_uuid()));
      \(schema.steps(from: 0).map(Schema.forPostgres).joined(separator: "\n"))
      """
  }

  /// Checks a connection once, and sets what every transaction on it relies on.
  ///
  /// - Throws: ``ServerFault``, when there are no tables or those of another version.
  static func check(_ connection: ServerConnection, lockTimeout: Duration) throws(ServerFault) {
    try connection.requireUTF8()
    try connection.run(
      """
      SET search_path = \(searchPath);
      \(PostgresSettings.statement(lockTimeout: lockTimeout, read: connection.limits.read));
      SELECT set_config('client_connection_check_interval', '1000', false)
        WHERE current_setting('client_connection_check_interval', true) IS NOT NULL AND version() LIKE '%linux%';
      SELECT pg_advisory_lock_shared(\(usersLock))
      """)
    let facts = try Facts(of: connection)
    connection.process = try connection.run("SELECT pg_backend_pid()").first?[0].flatMap { Int64($0) }
    let known = Schema.current.version
    if facts.oldest > known { throw .refused(state: ServerState.newer, "\(facts.version)") }
    if facts.version < known { throw .refused(state: ServerState.older, "\(facts.version)") }
    connection.database = facts.id
  }

  /// What the tables say about themselves.
  private struct Facts {
    let version: Int64
    /// The oldest version whose programs may use these tables.
    let oldest: Int64
    /// The database's own name: sessions are of one database as they are of one boot.
    let id: BootID

    init(of connection: ServerConnection) throws(ServerFault) {
      let rows = try connection.run("SELECT version, oldest, encode(id, 'hex') FROM \(name).facts")
      guard let row = rows.first?.compactMap(\.self), row.count == 3, let version = Int64(row[0]),
        let oldest = Int64(row[1]), let id = Hex.bytes(Array(row[2].utf8)).flatMap({ BootID($0) })
      else { throw .refused(state: "42P01", "the table of facts is empty") }
      (self.version, self.oldest, self.id) = (version, oldest, id)
    }
  }
}

/// A connection of an operator's command.
struct SchemaSession {
  let connection: ServerConnection

  /// Connects, and finds functions and operators in the server's own catalogue only.
  init(_ address: ServerAddress) throws(BackendError) {
    do throws(ServerFault) {
      connection = try Connecting(address, ServerLimits(answer: .seconds(60))).connect()
      try connection.requireUTF8()
      try connection.run("SET search_path = pg_catalog, pg_temp; SET client_min_messages = error")
    } catch {
      throw error.failure(at: address.text.escaped)
    }
  }

  var database: String { connection.databaseName }

  /// Whether our tables are there.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_foreign`) for a schema of this name that
  ///   holds something else, or belongs to another role.
  func isInstalled() throws(BackendError) -> Bool {
    let rows = try run(
      """
      SELECT to_regclass('\(PostgresSchema.name).facts') IS NOT NULL AND pg_has_role(n.nspowner, 'USAGE'),
        pg_get_userbyid(n.nspowner)
      FROM pg_namespace n WHERE n.nspname = '\(PostgresSchema.name)'
      """)
    guard let row = rows.first else { return false }
    if row[0] == "t" { return true }
    throw .refused(
      .schemaForeign, PostgresSchema.name, database.escaped,
      "belongs to '\((row[1] ?? "").escaped)', or holds something else")
  }

  @discardableResult
  func run(_ statements: String) throws(BackendError) -> [[String?]] {
    try attempt { () throws(ServerFault) in try connection.run(statements) }
  }

  /// Runs `body`, and tells its fault as the failure of a command.
  func attempt<Answer>(_ body: () throws(ServerFault) -> Answer) throws(BackendError) -> Answer {
    do throws(ServerFault) { return try body() } catch { throw failure(error) }
  }

  /// Commits; only here the outcome can be unknown, and before nothing is changed.
  func commit() throws(BackendError) {
    do throws(ServerFault) {
      try connection.run("COMMIT")
    } catch {
      if case .refused = error { throw failure(error) }
      throw .unavailable(.outcomeUnknown, "the database at \(connection.place)", error.message)
    }
  }

  func failure(_ fault: ServerFault) -> BackendError {
    fault.failure(at: connection.place)
  }
}
