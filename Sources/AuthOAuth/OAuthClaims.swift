public import AuthCore
package import TextFormat

/// The members of a JSON response of the server, such as what it says about a user.
public struct OAuthClaims: Sendable, Redacted {
  package let members: [String: JSON]

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

  /// The user by the names of OpenID Connect Core 1.0, section 5.1, and of RFC 7662, section 2.2;
  /// nil without `sub` and without a user name.
  ///
  /// The user is an ordinary member, because neither standard has a name for administrators. The
  /// attributes are `email`, `picture` and `locale`. Empty text counts as none, and so does text of
  /// more than 2048 bytes, such as a picture in a `data:` address.
  public var user: User? {
    let names = ["preferred_username", "username", "email", "sub"]
    guard let username = names.lazy.compactMap(short).first else { return nil }
    return User(
      id: UserID(rawValue: subject ?? username), username: username, displayName: short("name") ?? username,
      role: .member,
      attributes: ["email", "picture", "locale"].reduce(into: [:]) { $0[$1] = short($1) })
  }

  /// The server's name for the user.
  var subject: String? { short("sub") }

  private func short(_ name: String) -> String? { self[name].flatMap { (1...2048).contains($0.utf8.count) ? $0 : nil } }
}

extension OAuthClaims {
  /// Reads a body; nil when it is too long, or not a JSON object.
  init?(_ body: [UInt8]) {
    // A response of OAuth 2.0 has a few kilobytes.
    guard body.count <= 262_144, case .object(let members)? = JSON(parsing: body) else { return nil }
    // The parser refuses a name that occurs twice.
    self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
  }
}
