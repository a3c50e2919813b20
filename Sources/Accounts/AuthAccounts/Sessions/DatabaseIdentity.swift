package import AuthCore
import TextFormat

/// The name of a database, for as long as the database exists: 16 bytes.
///
/// It is derived from the random salt that a database gets when it is created, which a backup
/// keeps. Session files name the database with it.
package struct DatabaseIdentity: Hashable, Sendable {
  /// The length of the name in bytes.
  package static let length = 16

  /// The name as bytes.
  package let bytes: [UInt8]

  /// The name as hexadecimal digits.
  package var text: String { Hex.text(bytes) }

  /// Derives the name from the salt of the database.
  package init(salt: [UInt8]) {
    bytes = Array(SHA256.hash(Array("auth-service".utf8) + salt).prefix(Self.length))
  }
}

extension SessionToken {
  /// The name of the database that issued the token, and the secret.
  ///
  /// A session file has both, so that no token is sent to another database. The name is empty in a
  /// token that a caller has just drawn, or that a service got.
  package var parts: (database: ArraySlice<UInt8>, secret: ArraySlice<UInt8>) {
    let isNamed = bytes.count == DatabaseIdentity.length + TokenForm.secretLength
    let length = isNamed ? DatabaseIdentity.length : 0
    return (bytes.prefix(length), bytes.dropFirst(length))
  }
}
