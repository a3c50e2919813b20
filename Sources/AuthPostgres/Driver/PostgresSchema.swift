package import AuthBackend
import AuthCore
import AuthDevice
import TextFormat

/// The rule book's tables in a PostgreSQL database, in a schema of their own.
package enum PostgresSchema {
  package static let name = "auth"
  /// Nothing in a temporary schema takes the place of a table or a function.
  static let searchPath = "\(name), pg_catalog, pg_temp"
  /// The keys of the advisory locks: "AuS1" and "AuS2".
  static let (writeLock, unknownNamesLock): (Int64, Int64) = (0x4175_5331, 0x4175_5332)

  /// Creates the tables.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`schema_exists`) when they exist, or of kind
  ///   `unavailable`.
  package static func install(_ address: ServerAddress, limits: ServerLimits = ServerLimits()) throws(BackendError) {
    do throws(ServerFault) {
      let connection = try Connecting(address: address, limits: limits, timeline: nil).connect()
      try connection.runScript(script, until: .now + limits.answer)
    } catch {
      if case .refused(state: "42P06", _) = error {
        throw .refused("schema_exists", "The database has the tables already.", hint: "Nothing was changed.")
      }
      throw error.failure(at: "the server")
    }
  }

  private static var script: String {
    let steps = Schema.steps.map(Schema.forPostgres).joined(separator: "\n")
    return """
      CREATE SCHEMA \(name);
      SET search_path = \(searchPath);
      CREATE TABLE facts(version bigint NOT NULL, id bytea NOT NULL);
      INSERT INTO facts VALUES (\(Schema.version), uuid_send(gen_random_uuid()));
      \(steps)
      """
  }

  /// Prepares a new connection, and checks once that its tables are those of this program.
  ///
  /// - Returns: The database, whose id is in its tokens' limits.
  static func check(
    _ connection: ServerConnection, lockTimeout: Duration, until deadline: ContinuousClock.Instant
  ) throws(ServerFault) -> BootID {
    try connection.runScript(
      """
      SET search_path = \(searchPath); SET lock_timeout = \(lockTimeout.wholeMilliseconds);
      SET idle_in_transaction_session_timeout = \(2 * lockTimeout.wholeMilliseconds); SET synchronous_commit = on
      """, until: deadline)
    let rows = try connection.run("SELECT version, encode(id, 'hex') FROM facts", [], until: deadline)
    guard let row = rows.first, let version = row[0].flatMap({ Int64($0) }),
      let id = row[1].flatMap({ Hex.bytes(Array($0.utf8)) }).flatMap({ BootID($0) })
    else { throw .refused(state: "42P01", "the table of facts is empty") }
    guard version == Schema.version else {
      throw .refused(state: ServerState.otherVersion, "its tables have version \(version), not \(Schema.version)")
    }
    return id
  }
}
