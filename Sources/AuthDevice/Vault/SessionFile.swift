import AuthCore
import TextFormat

/// The text of a session file: the format and its version, the token, its user, its issuer, and a
/// checksum.
///
///     authlocal-session 5
///     <the token, hexadecimal digits>
///     <the details of the token, hexadecimal digits>
///     <the name of the issuer, hexadecimal digits>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// Version 1, which release 0.1.0 wrote, is still read. It has a token of the embedded database or
/// of an app, and the checksum.
///
/// The user's names in the details are for display only. They need no more protection than the
/// token, which gives access to them. The checksum detects damage, not forgery: whoever can write
/// the file has the session anyway.
enum SessionFile {
  static let longest = 131_072
  private static let version = 5
  private static let magic = "authlocal-session"
  private static let tokenLength = 32
  /// A server's token starts with the id of its database, of this length.
  private static let databaseLength = 16

  /// The content of a usable session file.
  struct Content: Hashable {
    let token: SessionToken
    var details = TokenDetails()
    /// The issuer of the token; nil in a file of version 1, which does not name it.
    var issuer: TokenIssuer?

    /// Whether a vault for the tokens of `issuer` may read this.
    func isOf(_ issuer: TokenIssuer) -> Bool {
      guard let own = self.issuer else { return issuer != .server && !issuer.isProvider }
      return own == issuer || issuer == .anyProvider && own.isProvider
    }
  }

  /// Whether the same database of a server issued both tokens.
  static func areOfOneDatabase(_ first: SessionToken, _ second: SessionToken) -> Bool {
    first.bytes.prefix(databaseLength) == second.bytes.prefix(databaseLength)
  }

  /// The result of reading a session file.
  enum Reading: Hashable {
    case content(Content)
    /// The problem, and the token if it is still readable.
    case corrupt(String, SessionToken?)

    /// The token, also of a file that is otherwise unusable; nil if it cannot be read.
    var legibleToken: SessionToken? {
      switch self {
      case .content(let content): content.token
      case .corrupt(_, let token): token
      }
    }
  }

  static func text(_ token: SessionToken, _ details: TokenDetails, _ issuer: TokenIssuer) -> [UInt8] {
    let user = details.user.flatMap { canBeShown($0) ? $0 : nil }
    let details = TokenDetails(session: details.session, user: user, accessToken: details.accessToken)
    let lines = [
      "\(magic) \(version)", Hex.text(token.bytes), Hex.text(details.bytes), Hex.text(Array(issuer.rawValue.utf8)),
    ]
    let body = lines.map { $0 + "\n" }.joined()
    return Array((body + Hex.text(SHA256.hash(Array(body.utf8))) + "\n").utf8)
  }

  static func read(_ content: [UInt8]) -> Reading {
    if content.isEmpty { return .corrupt("it is empty", nil) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = "\(magic) "
    guard lines[0].starts(with: head.utf8) else { return .corrupt("it is not a session file", nil) }
    let found = Int(String(decoding: lines[0].dropFirst(head.utf8.count), as: UTF8.self))
    let bytes = lines.count > 2 ? Hex.bytes(Array(lines[1])) : nil
    let salvaged = bytes?.count == tokenLength ? bytes.map(SessionToken.init) : nil
    guard let found else { return .corrupt("its version cannot be read", salvaged) }
    guard found == 1 || found == version else {
      return .corrupt("it has version \(found), and this program knows versions 1 and \(version)", salvaged)
    }
    guard lines.count == (found == 1 ? 4 : 6), lines.last?.isEmpty == true else {
      return .corrupt("it is incomplete", salvaged)
    }
    guard isWhole(lines), let bytes, found > 1 || bytes.count == tokenLength else {
      return .corrupt("its checksum does not fit", salvaged)
    }
    var content = Content(token: SessionToken(bytes: bytes))
    if found == version {
      content.issuer = TokenIssuer(rawValue: String(decoding: Hex.bytes(Array(lines[3])) ?? [], as: UTF8.self))
      content.details = Hex.bytes(Array(lines[2])).flatMap(TokenDetails.init(bytes:)) ?? TokenDetails()
    }
    return .content(content)
  }

  /// The longest name in bytes; longer ones are not saved.
  private static let longestName = 1024

  private static func canBeShown(_ user: LastKnownUser) -> Bool {
    user.username.utf8.count <= longestName && user.displayName.utf8.count <= longestName
  }

  /// Whether the last full line is the checksum of the lines before it.
  private static func isWhole(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let body = lines.dropLast(2).flatMap { $0 + [UInt8(ascii: "\n")] }
    return Hex.bytes(Array(lines[lines.count - 2])) == SHA256.hash(body)
  }
}
