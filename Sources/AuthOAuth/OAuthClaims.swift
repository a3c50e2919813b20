public import AuthCore
import TextFormat

/// What the server says about a user: the members of its JSON answer.
public struct OAuthClaims: Sendable, Redacted {
  private let members: [String: JSON]

  /// Reads a body; nil when it is too long, or not a JSON object.
  init?(_ body: [UInt8]) {
    guard body.count <= OAuthResponse.longestBody, case .object(let members)? = JSON(parsing: body) else { return nil }
    // No name occurs twice: the reader refuses that.
    self.members = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
  }

  /// A text or a number; nil when it is missing or something else.
  public subscript(name: String) -> String? {
    switch members[name] {
    case .string(let text): text
    case .integer(let number): String(number)
    case _: nil
    }
  }

  /// The texts of a list, such as the user's groups; empty when there is no such list.
  public func list(_ name: String) -> [String] {
    guard case .array(let values)? = members[name] else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// True or false; nil when it is missing or something else.
  public func flag(_ name: String) -> Bool? {
    if case .bool(let flag)? = members[name] { flag } else { nil }
  }

  /// Those of the members that are there, for `User.attributes`.
  public func attributes(_ names: [String]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: Set(names).compactMap { name in self[name].map { (name, $0) } })
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  /// The user by the names of OpenID Connect Core 1.0, section 5.1, and of RFC 7662, section 2.2:
  /// an ordinary member, because neither has a name for administrators; with `email`, `picture` and
  /// `locale` as attributes.
  ///
  /// Nil when neither `sub` nor a user name is there.
  public var user: User? {
    guard let username = self["preferred_username"] ?? self["username"] ?? self["email"] ?? self["sub"] else {
      return nil
    }
    return User(
      id: UserID(rawValue: self["sub"] ?? username), username: username, displayName: self["name"] ?? username,
      role: .member, attributes: attributes(["email", "picture", "locale"]))
  }
}
