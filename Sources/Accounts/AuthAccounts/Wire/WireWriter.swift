import AuthCore

/// Writes values in the form that ``WireReader`` reads: numbers are big-endian, and the length of
/// a text or a list comes before it.
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

  /// The bytes that were written, for the end of a frame.
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

/// The form of session tokens on one side of a connection.
///
/// A client stores tokens with the name of their database as a prefix, as session files do. It
/// sends them without the prefix, and never to another database.
package struct TokenForm: Sendable {
  static let secretLength = 32

  /// The prefix of the tokens on this side; empty in the service.
  let database: [UInt8]

  /// Creates the form of tokens with this prefix.
  package init(database: [UInt8]) { self.database = database }

  /// The form in the service: secrets without a prefix.
  package static let plain = TokenForm(database: [])

  /// Splits a token into its prefix, which may be empty, and its secret.
  func split(_ token: SessionToken) -> (database: [UInt8], secret: [UInt8]) {
    if database.isEmpty { return ([], token.bytes) }
    let parts = token.parts
    return (Array(parts.database), Array(parts.secret))
  }

  func joined(_ secret: [UInt8]) -> SessionToken {
    SessionToken(bytes: secret.count == Self.secretLength ? database + secret : secret)
  }
}
