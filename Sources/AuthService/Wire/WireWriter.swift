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
  func byte(_ value: UInt8) -> WireWriter {
    bytes.append(value)
    return self
  }

  @discardableResult
  func tag(_ tag: some RawRepresentable<UInt8>) -> WireWriter { byte(tag.rawValue) }

  @discardableResult
  func number(_ value: some FixedWidthInteger) -> WireWriter {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
    return self
  }

  @discardableResult
  func flag(_ value: Bool) -> WireWriter { byte(value ? 1 : 0) }

  @discardableResult
  func data(_ value: some Collection<UInt8>) -> WireWriter {
    number(UInt32(clamping: value.count))
    bytes += value
    return self
  }

  @discardableResult
  func text(_ value: String) -> WireWriter { data(value.utf8) }

  /// A case of an enumeration whose words stay when a case is renamed.
  @discardableResult
  func word(_ value: some RawRepresentable<String>) -> WireWriter { text(value.rawValue) }

  @discardableResult
  func token(_ token: SessionToken) -> WireWriter {
    switch form.split(token) {
    case .secret(let secret): return data(secret)
    case .foreign(let database):
      foreignDatabase = database
      return data([])
    }
  }

  @discardableResult
  func optional<Value>(_ value: Value?, _ write: (Value) -> WireWriter) -> WireWriter {
    guard let value else { return flag(false) }
    flag(true)
    return write(value)
  }

  @discardableResult
  func list<Value>(_ values: [Value], _ write: (Value) -> WireWriter) -> WireWriter {
    number(UInt32(clamping: values.count))
    for value in values { _ = write(value) }
    return self
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
