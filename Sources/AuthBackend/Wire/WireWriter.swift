import AuthCore

/// Writes values in the form that ``WireReader`` reads: numbers big-endian, and the length of all
/// that has one before it.
///
/// It holds passwords and tokens, so it never prints itself.
package final class WireWriter: Redacted {
  private var bytes: [UInt8] = []
  /// The database whose tokens are written; see ``TokenForm``.
  private let form: TokenForm
  /// The database of a token that may not be sent to this one, if there was such a token.
  private var foreignDatabase: [UInt8]?

  package init(for form: TokenForm) { self.form = form }

  /// The frame, with its length.
  ///
  /// - Throws: ``WireFault`` when it is too long, or has a token of another database.
  package var frame: [UInt8] {
    get throws(WireFault) {
      if let foreignDatabase { throw .foreignToken(of: foreignDatabase) }
      guard bytes.count <= Frames.longest else { throw .frameLength(bytes.count) }
      return Frames.framed(bytes)
    }
  }

  @discardableResult
  package func put<each Value: WireValue>(_ value: repeat each Value) -> WireWriter {
    repeat (each value).write(to: self)
    return self
  }

  /// What was written, for a frame to end with.
  ///
  /// - Throws: ``WireFault`` when it has a token of another database.
  var body: WireBody {
    get throws(WireFault) {
      if let foreignDatabase { throw .foreignToken(of: foreignDatabase) }
      return WireBody(bytes)
    }
  }

  package func byte(_ value: UInt8) { bytes.append(value) }

  func raw(_ value: [UInt8]) { bytes += value }

  package func data(_ value: some Collection<UInt8>) {
    put(UInt32(clamping: value.count))
    bytes += value
  }

  func token(_ token: SessionToken) {
    let (database, secret) = form.split(token)
    if database.isEmpty || database == form.database { data(secret) } else { foreignDatabase = database }
  }
}

/// How tokens look on the two sides of a connection.
///
/// A client keeps tokens with the name of their database before them, as a session file has them.
/// They cross without it, and never to another database.
package struct TokenForm: Sendable {
  /// The bytes that name the database.
  static let databaseLength = 16
  static let secretLength = 32

  /// What stands before the tokens of this side; nothing in the service.
  let database: [UInt8]

  /// The form of tokens that have this before them.
  package init(database: [UInt8]) { self.database = database }

  /// As the service has tokens: secrets without a name.
  package static let plain = TokenForm(database: [])

  /// The name of a database before a secret, empty where there is none, and the secret.
  func split(_ token: SessionToken) -> (database: [UInt8], secret: [UInt8]) {
    let isNamed = !database.isEmpty && token.bytes.count == Self.databaseLength + Self.secretLength
    let length = isNamed ? Self.databaseLength : 0
    return (Array(token.bytes.prefix(length)), Array(token.bytes.dropFirst(length)))
  }

  func joined(_ secret: [UInt8]) -> SessionToken {
    SessionToken(bytes: secret.count == Self.secretLength ? database + secret : secret)
  }
}
