public import AuthCore
package import TextFormat

/// The members of a JSON response of the server, such as what it says about a user.
public struct OAuthClaims: Sendable, Redacted {
  package let members: [String: JSON]
  /// A user that the server does not name: an identifier for this login alone, and a name to show.
  var nameless: (id: String, name: String)?

  /// A string, or a whole number or a Boolean value as a string; nil for everything else.
  public subscript(name: String) -> String? {
    switch members[name] {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): Int64(exactly: number).map { "\($0)" }
    case .bool(let flag): "\(flag)"
    case _: nil
    }
  }

  /// A token (RFC 6749, appendix A); nil if there is none, or an empty one, which some servers send
  /// instead.
  ///
  /// - Throws: If it is not a string, or has characters that end a line of a header.
  func token(_ name: String) throws(OAuthError) -> String? {
    switch members[name] {
    case nil, .null, .string(""): return nil
    case .string(let text) where text.isVisible: return text
    case _: throw .unusable()
    }
  }

  /// A number of seconds, limited to the range; without its fraction, and also from a string,
  /// because some servers send those.
  func seconds(_ name: String, in range: ClosedRange<Int64>) -> Duration? {
    guard case .number(let number)? = members[name] else { return self[name]?.seconds(in: range) }
    return "\(number)".seconds(in: range)
  }

  /// The strings of an array, such as the user's groups; empty if there is no such array.
  public func list(_ name: String) -> [String] {
    guard case .array(let values)? = members[name] else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The user by the names of OpenID Connect Core 1.0, section 5.1, and of RFC 7662, section 2.2.
  ///
  /// Only `sub` identifies a user: a name or an e-mail address can be given to somebody else
  /// (section 5.7). If the server sends none, the user of a login is identified by this login
  /// alone, so that two such logins are never of one user. Nil if `sub` is empty, has more than
  /// 2048 bytes, or is neither a text nor a number.
  ///
  /// The user is an ordinary member, because neither standard has a name for administrators. The
  /// attributes are `email`, `picture` and `locale`. Empty text counts as none, and so does long
  /// text, such as a picture in a `data:` address.
  public var user: User? {
    guard let id = subject ?? (members["sub"] == nil ? nameless?.id : nil) else { return nil }
    let names = ["preferred_username", "username", "email", "sub"]
    let username = names.lazy.compactMap { short($0, 512) }.first ?? nameless?.name ?? String(id.prefix(128))
    return User(
      id: UserID(rawValue: id), username: username, displayName: short("name", 512) ?? username, role: .member,
      attributes: ["email": short("email", 512), "picture": short("picture", 2048), "locale": short("locale", 64)]
        .compactMapValues(\.self))
  }

  /// The server's name for the user: a text, or a number, which some servers send.
  ///
  /// Nil for a flag: it would make all users of the server one.
  var subject: String? { if case .bool = members["sub"] { nil } else { short("sub", 2048) } }

  private func short(_ name: String, _ longest: Int) -> String? {
    self[name].flatMap { (1...longest).contains($0.utf8.count) ? $0 : nil }
  }
}

extension OAuthClaims {
  /// These claims, with those of `other` where they lack a member.
  func completed(by other: OAuthClaims) -> OAuthClaims {
    OAuthClaims(members: members.merging(other.members) { own, _ in own }, nameless: nameless)
  }
}

extension OAuthClaims {
  /// Reads a body; nil when it is too long, or not a JSON object.
  init?(_ body: [UInt8]) {
    // A response of OAuth 2.0 has a few kilobytes.
    guard body.count <= 262_144, let document = JSON(parsing: body) else { return nil }
    self.init(document)
  }

  /// Reads the members of a JSON object; nil for another value.
  package init?(_ document: JSON) {
    guard case .object(let members) = document else { return nil }
    // The parser refuses a name that occurs twice.
    self.init(members: Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) }))
  }
}
