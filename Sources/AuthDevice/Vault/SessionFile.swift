import AuthCore
import TextFormat

/// The text of a session file: the format and its version, the token, its user, and a checksum.
///
///     authlocal-session 4
///     <the token, hexadecimal digits>
///     <the username and the display name, hexadecimal digits, with a space between; or nothing>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// Earlier versions are still read. They have no user: in version 1 the token has 32 bytes, in
/// version 3 any number; in version 2 the third line is the id of the database that issued the
/// token.
///
/// The names are for display only. They are less than the token grants access to, and no more than
/// a user shows to others. The checksum finds accidents, not forgeries: whoever can write the file
/// has the session anyway.
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
    case token(SessionToken, LastKnownUser?)
    /// The problem, and the token if it is still readable.
    case corrupt(String, SessionToken?)

    var legibleToken: SessionToken? {
      switch self {
      case .token(let token, _): token
      case .corrupt(_, let token): token
      }
    }
  }

  static func content(_ token: SessionToken, of user: LastKnownUser?) -> [UInt8] {
    let body = "\(magic) 4\n\(Hex.text(token.bytes))\n\(line(of: user))\n"
    return Array((body + Hex.text(SHA256.hash(Array(body.utf8))) + "\n").utf8)
  }

  static func read(_ content: [UInt8]) -> Reading {
    if content.isEmpty { return .corrupt("it is empty", nil) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = "\(magic) "
    guard lines[0].starts(with: head.utf8) else { return .corrupt("it is not a session file", nil) }
    let found = Int(String(decoding: lines[0].dropFirst(head.utf8.count), as: UTF8.self))
    let bytes = lines.count > 2 ? Hex.bytes(Array(lines[1])) : nil
    let salvaged = found != 2 && bytes?.count == tokenLength ? bytes.map(SessionToken.init) : nil
    guard let found else { return .corrupt("its version cannot be read", salvaged) }
    guard (1...4).contains(found) else {
      return .corrupt("it has version \(found), and this program knows versions 1 to 4", salvaged)
    }
    guard lines.count == (found == 1 || found == 3 ? 4 : 5), lines.last?.isEmpty == true else {
      return .corrupt("it is incomplete", salvaged)
    }
    guard isWhole(lines), let bytes, found > 2 || bytes.count == tokenLength else {
      return .corrupt("its checksum does not fit", salvaged)
    }
    switch found {
    case 2:
      guard let database = Hex.bytes(Array(lines[2])), database.count == databaseLength else {
        return .corrupt("its checksum does not fit", nil)
      }
      return .token(SessionToken(bytes: database + bytes), nil)
    case 4: return .token(SessionToken(bytes: bytes), user(lines[2]))
    case _: return .token(SessionToken(bytes: bytes), nil)
    }
  }

  /// A name that is too long to be shown is not saved.
  private static let longestName = 1024

  private static func line(of user: LastKnownUser?) -> String {
    guard let user, user.username.utf8.count <= longestName, user.displayName.utf8.count <= longestName else {
      return ""
    }
    return "\(Hex.text(Array(user.username.utf8))) \(Hex.text(Array(user.displayName.utf8)))"
  }

  private static func user(_ line: ArraySlice<UInt8>) -> LastKnownUser? {
    let names = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { Hex.bytes(Array($0)).map { String(decoding: $0, as: UTF8.self) } }
    guard names.count == 2, let username = names[0], let displayName = names[1] else { return nil }
    return LastKnownUser(username: username, displayName: displayName)
  }

  /// Whether the last full line is the checksum of the lines before it.
  private static func isWhole(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let body = lines.dropLast(2).flatMap { $0 + [UInt8(ascii: "\n")] }
    return Hex.bytes(Array(lines[lines.count - 2])) == SHA256.hash(body)
  }
}
