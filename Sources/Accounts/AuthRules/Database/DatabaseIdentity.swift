package import AuthAccounts
import AuthCore
import TextFormat

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
