import AuthCore

/// The text in a session file: what it is and its version, the token, and a checksum of both lines.
///
///     authlocal-session 1
///     <the token, 64 hexadecimal digits>
///     <SHA-256 of the two lines with their ends, 64 hexadecimal digits>
///
/// The checksum finds accidents and not forgeries: a user who can write the file has the session
/// anyway.
enum SessionFile {
  static let longest = 4096
  private static let magic = "authlocal-session"
  private static let version = 1
  private static let tokenLength = 32

  enum Reading: Hashable {
    case token(SessionToken)
    /// What is wrong, and the token if it can still be told.
    case corrupt(String, SessionToken?)
  }

  static func content(_ token: SessionToken) -> [UInt8] {
    let body = "\(magic) \(version)\n\(Hex.text(token.bytes))\n"
    return Array((body + Hex.text(SHA256.hash(body.utf8)) + "\n").utf8)
  }

  static func read(_ content: [UInt8]) -> Reading {
    if content.isEmpty { return .corrupt("it is empty", nil) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = "\(magic) "
    guard lines[0].starts(with: head.utf8) else { return .corrupt("it is not a session file", nil) }
    let salvaged = lines.count > 1 ? token(lines[1]) : nil
    guard let found = Int(String(decoding: lines[0].dropFirst(head.utf8.count), as: UTF8.self)) else {
      return .corrupt("its version cannot be read", salvaged)
    }
    guard found == version else {
      return .corrupt("it has version \(found), and this program knows version \(version)", salvaged)
    }
    guard lines.count == 4, lines[3].isEmpty else { return .corrupt("it is incomplete", salvaged) }
    let body = lines[0] + [UInt8(ascii: "\n")] + lines[1] + [UInt8(ascii: "\n")]
    guard let salvaged, Hex.bytes(lines[2]) == SHA256.hash(body) else {
      return .corrupt("its checksum does not fit", salvaged)
    }
    return .token(salvaged)
  }

  private static func token(_ line: ArraySlice<UInt8>) -> SessionToken? {
    guard let bytes = Hex.bytes(line), bytes.count == tokenLength else { return nil }
    return SessionToken(bytes: bytes)
  }
}
