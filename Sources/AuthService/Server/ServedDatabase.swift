package import AuthBackend
import TextFormat

/// The facts that the service reads from its database before it accepts connections.
package struct ServedDatabase: Sendable {
  /// Names the database, for as long as it exists: 16 bytes as hexadecimal text.
  ///
  /// It is derived from the random salt that a database gets when it is created, which a backup
  /// keeps.
  package let identity: String
  /// Whether the database ever had an administrator.
  package let hasAdministrator: Bool

  /// Reads the facts from a database.
  package init(_ database: any Database) throws(BackendError) {
    self = try database.read { (db) throws(BackendError) in
      try db.one(ServedDatabaseQuery.facts, else: "the row of settings is missing")
    }
  }
}

extension ServedDatabase: RowDecodable {
  package init(_ row: Row) throws(BackendError) {
    let salt: [UInt8] = try row[0]
    identity = Hex.text(Array(SHA256.hash(Array("auth-service".utf8) + salt).prefix(16)))
    hasAdministrator = try row[1]
  }
}

package enum ServedDatabaseQuery: String, Query {
  case facts = "SELECT event_salt, administrator_made FROM authority WHERE id = 1"
}
