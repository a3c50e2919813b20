import AuthCore
import TextFormat

/// The text of a session file: the format and its version, the token, and a checksum of both lines.
///
///     authlocal-session 1
///     <the token, 64 hexadecimal digits>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// The token of a database on a server is stored in version 2, with the database on a separate
/// line:
///
///     authlocal-session 2
///     <the token, 64 hexadecimal digits>
///     <the database, 32 hexadecimal digits>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// A token of another length, such as one of `AuthOAuth`, is kept in version 3:
///
///     authlocal-session 3
///     <the token, hexadecimal digits>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// The checksum finds accidents, not forgeries: whoever can write the file has the session anyway.
enum SessionFile {
  static let longest = 65_536
  private static let magic = "authlocal-session"
  private static let tokenLength = 32
  /// A server's token starts with the id of its database, of this length.
  private static let databaseLength = 16

  /// The id of the database that issued a token; nil for the embedded database.
  static func database(of token: SessionToken) -> String? {
    guard token.bytes.count == databaseLength + tokenLength else { return nil }
    return Hex.text(Array(token.bytes.prefix(databaseLength)))
  }

  enum Reading: Hashable {
    case token(SessionToken)
    /// The problem, and the token if it is still readable.
    case corrupt(String, SessionToken?)
  }

  static func content(_ token: SessionToken) -> [UInt8] {
    let body: String
    if let database = database(of: token) {
      body = "\(magic) 2\n\(Hex.text(Array(token.bytes.dropFirst(databaseLength))))\n\(database)\n"
    } else {
      body = "\(magic) \(token.bytes.count == tokenLength ? 1 : 3)\n\(Hex.text(token.bytes))\n"
    }
    return Array((body + Hex.text(SHA256.hash(Array(body.utf8))) + "\n").utf8)
  }

  static func read(_ content: [UInt8]) -> Reading {
    if content.isEmpty { return .corrupt("it is empty", nil) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = "\(magic) "
    guard lines[0].starts(with: head.utf8) else { return .corrupt("it is not a session file", nil) }
    let found = Int(String(decoding: lines[0].dropFirst(head.utf8.count), as: UTF8.self))
    let salvaged = lines.count > 1 && found != 2 ? token(lines[1]) : nil
    guard let found else { return .corrupt("its version cannot be read", salvaged) }
    switch found {
    case 1, 3:
      guard lines.count == 4, lines[3].isEmpty else { return .corrupt("it is incomplete", salvaged) }
      let token = found == 1 ? salvaged : Hex.bytes(Array(lines[1])).map(SessionToken.init)
      guard let token, isWhole(lines) else { return .corrupt("its checksum does not fit", salvaged) }
      return .token(token)
    case 2:
      guard lines.count == 5, lines[4].isEmpty else { return .corrupt("it is incomplete", nil) }
      guard isWhole(lines), let secret = token(lines[1]), let database = Hex.bytes(Array(lines[2])),
        database.count == databaseLength
      else { return .corrupt("its checksum does not fit", nil) }
      return .token(SessionToken(bytes: database + secret.bytes))
    case _: return .corrupt("it has version \(found), and this program knows versions 1 to 3", salvaged)
    }
  }

  /// Whether the last full line is the checksum of the lines before it.
  private static func isWhole(_ lines: [ArraySlice<UInt8>]) -> Bool {
    var body: [UInt8] = []
    for line in lines.dropLast(2) { body += line + [UInt8(ascii: "\n")] }
    return Hex.bytes(Array(lines[lines.count - 2])) == SHA256.hash(body)
  }

  private static func token(_ line: ArraySlice<UInt8>) -> SessionToken? {
    guard let bytes = Hex.bytes(Array(line)), bytes.count == tokenLength else { return nil }
    return SessionToken(bytes: bytes)
  }
}
