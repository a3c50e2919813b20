import AuthCore

/// Writes values in the form that ``WireReader`` reads: numbers big-endian, and the length of all
/// that has one before it.
///
/// It holds passwords and tokens, so it never prints itself.
final class WireWriter: Redacted {
  private(set) var bytes: [UInt8]
  /// The database whose tokens are written; see ``TokenForm``.
  private let form: TokenForm
  /// The database of a token that may not be sent to this one, if there was such a token.
  private(set) var foreignDatabase: [UInt8]?

  init(for form: TokenForm) {
    self.form = form
    // The length is put here when the frame is complete.
    bytes = [0, 0, 0, 0]
  }

  /// The frame, with its length; empty when it is too long.
  var frame: [UInt8] {
    let count = bytes.count - 4
    guard count <= Frames.longest else { return [] }
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + bytes.dropFirst(4)
  }

  @discardableResult
  func put<each Value: WireValue>(_ value: repeat each Value) -> WireWriter {
    repeat (each value).write(to: self)
    return self
  }

  func byte(_ value: UInt8) { bytes.append(value) }

  func data(_ value: some Collection<UInt8>) {
    put(UInt32(clamping: value.count))
    bytes += value
  }

  func token(_ token: SessionToken) {
    switch form.split(token) {
    case .secret(let secret): data(secret)
    case .foreign(let database):
      foreignDatabase = database
      data([])
    }
  }
}

/// How tokens look on the two sides of a connection.
///
/// A client keeps tokens with the name of their database before them, as a session file has them.
/// They cross without it, and never to another database.
struct TokenForm: Sendable {
  /// The bytes that name the database.
  static let databaseLength = 16
  static let secretLength = 32

  /// What stands before the tokens of this side; nothing in the service.
  private let database: [UInt8]

  private init(database: [UInt8]) { self.database = database }

  /// As the service has tokens: secrets without a name.
  static let plain = TokenForm(database: [])

  /// As clients of a database have them.
  static func named(_ database: [UInt8]) -> TokenForm { TokenForm(database: database) }

  enum Parts {
    case secret([UInt8])
    case foreign(database: [UInt8])
  }

  func split(_ token: SessionToken) -> Parts {
    guard !database.isEmpty, token.bytes.count == Self.databaseLength + Self.secretLength else {
      return .secret(token.bytes)
    }
    let named = Array(token.bytes.prefix(Self.databaseLength))
    return named == database ? .secret(Array(token.bytes.dropFirst(Self.databaseLength))) : .foreign(database: named)
  }

  func joined(_ secret: [UInt8]) -> SessionToken {
    SessionToken(bytes: secret.count == Self.secretLength ? database + secret : secret)
  }
}
