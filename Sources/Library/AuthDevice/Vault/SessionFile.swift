import AuthCore
import TextFormat

/// The text of a session file: the format and its version, the token, its user, its issuer, and a
/// checksum.
///
///     authlocal-session 6
///     <the token, hexadecimal digits>
///     <the details of the token, hexadecimal digits>
///     <the name of the issuer, hexadecimal digits>
///     <SHA-256 of the lines before with their ends, 64 hexadecimal digits>
///
/// A token of a database starts with the name of that database. Other versions of the format are
/// not read.
///
/// The user's names in the details are for display only. They need no more protection than the
/// token, which gives access to them. The checksum detects damage, not forgery: whoever can write
/// the file has the session anyway.
enum SessionFile {
  static let longest = 131_072
  private static let version = 6
  private static let magic = "authlocal-session"
  /// The length of the name of a database.
  private static let databaseLength = 16

  /// The content of a usable session file.
  struct Content: Hashable {
    let token: SessionToken
    let details: TokenDetails
    let issuer: TokenIssuer

    /// Whether a vault for the tokens of `issuer` may read this.
    func isOf(_ issuer: TokenIssuer) -> Bool {
      self.issuer == issuer || issuer == .anyProvider && self.issuer.isProvider
    }
  }

  /// Whether the same database issued both tokens.
  static func areOfOneDatabase(_ first: SessionToken, _ second: SessionToken) -> Bool {
    first.bytes.prefix(databaseLength) == second.bytes.prefix(databaseLength)
  }

  /// The result of reading a session file.
  enum Reading: Hashable {
    case content(Content)
    /// The problem, and the content if it is still readable.
    case corrupt(String, Content?)

    /// The token for a vault of `issuer`, also of a file that is otherwise unusable; nil if it
    /// cannot be read, or has another issuer.
    func legibleToken(of issuer: TokenIssuer) -> SessionToken? {
      let content: Content? =
        switch self {
        case .content(let content): content
        case .corrupt(_, let content): content
        }
      return content.flatMap { $0.isOf(issuer) ? $0.token : nil }
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

  static func read(_ file: [UInt8]) -> Reading {
    if file.isEmpty { return .corrupt("it is empty", nil) }
    let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = "\(magic) "
    guard lines[0].starts(with: head.utf8) else { return .corrupt("it is not a session file", nil) }
    guard let found = Int(String(decoding: lines[0].dropFirst(head.utf8.count), as: UTF8.self)) else {
      return .corrupt("its version cannot be read", nil)
    }
    guard found == version else {
      return .corrupt("it has version \(found), and this program knows version \(version)", nil)
    }
    let content = content(of: lines)
    guard lines.count == 6, lines.last?.isEmpty == true else { return .corrupt("it is incomplete", content) }
    guard isWhole(lines), let content else { return .corrupt("its checksum does not fit", content) }
    return .content(content)
  }

  /// The content of the lines, whatever the checksum is; nil if the token or the issuer is missing.
  private static func content(of lines: [ArraySlice<UInt8>]) -> Content? {
    guard lines.count > 4, let token = Hex.bytes(Array(lines[1])), !token.isEmpty,
      let issuer = Hex.bytes(Array(lines[3])).flatMap({ String(validating: $0, as: UTF8.self) }), !issuer.isEmpty
    else { return nil }
    let details = Hex.bytes(Array(lines[2])).flatMap(TokenDetails.init(bytes:)) ?? TokenDetails()
    return Content(token: SessionToken(bytes: token), details: details, issuer: TokenIssuer(rawValue: issuer))
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
