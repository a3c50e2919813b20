import AuthCore
import TextFormat

/// The name of a database, for as long as the database exists: 16 bytes.
///
/// It is derived from the random salt that a database gets when it is created, which a backup
/// keeps. Session files name the database with it.
package struct DatabaseIdentity: Hashable, Sendable {
  /// The length of the name in bytes.
  static let length = 16

  /// The name as bytes.
  package let bytes: [UInt8]

  /// The name as hexadecimal digits.
  package var text: String { Hex.text(bytes) }

  /// Derives the name from the salt of the database.
  package init(salt: [UInt8]) {
    bytes = Array(SHA256.hash(Array("auth-service".utf8) + salt).prefix(Self.length))
  }
}

extension DatabaseIdentity: RowDecodable {
  package init(_ row: Row) throws(BackendError) { self.init(salt: try row[0]) }
}

extension Transaction {
  /// The name of this database.
  func identity() throws(BackendError) -> DatabaseIdentity {
    try one(DatabaseIdentityQuery.salt, else: "the row of settings is missing")
  }

  /// Refuses the token of another database.
  ///
  /// Such a token is unknown here, but its session may be active there.
  func requireOwn(_ token: SessionToken) throws(BackendError) {
    let database = token.parts.database
    if database.isEmpty { return }
    let identity = try identity()
    guard database.elementsEqual(identity.bytes) else {
      throw .unavailable(.sessionOfOtherDatabase, Hex.text(Array(database)), place, identity.text)
    }
  }
}

extension Rules {
  /// A new token as its holder stores it: after the name of the database.
  ///
  /// A service leaves that to its client.
  func named(_ token: SessionToken, in db: any Transaction) throws(BackendError) -> SessionToken {
    isShared ? token : SessionToken(bytes: try db.identity().bytes + token.parts.secret)
  }
}

package enum DatabaseIdentityQuery: String, Query {
  case salt = "SELECT event_salt FROM authority WHERE id = 1"
}
