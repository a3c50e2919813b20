package import AuthAccounts
package import AuthRules

/// The facts that the service reads from its database before it accepts connections.
package struct ServedDatabase: Sendable {
  /// Names the database, as hexadecimal text; see ``AuthAccounts/DatabaseIdentity``.
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
    identity = DatabaseIdentity(salt: try row[0]).text
    hasAdministrator = try row[1]
  }
}

package enum ServedDatabaseQuery: String, Query {
  case facts = "SELECT event_salt, administrator_made FROM authority WHERE id = 1"
}
