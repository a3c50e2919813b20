/// The permissions of a user beyond their own account.
///
/// A later version may add roles. An authority of your own can have roles of its own.
public struct Role: RawRepresentable, Hashable, Sendable {
  /// An ordinary account.
  public static let member = Role(rawValue: "member")
  /// Can view and change other accounts.
  public static let administrator = Role(rawValue: "administrator")
  /// Finds a role of a backend of this package by its name.
  package static func known(_ name: String) -> Role? { [member, administrator].first { $0.rawValue == name } }

  /// The name of the role, which is stored and printed.
  public let rawValue: String

  /// Wraps the name of a role.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// The permanent identity of a user; unlike a user name, it is never shown or changed.
public struct UserID: RawRepresentable, Hashable, Sendable {
  /// The identifier in the authority's own form.
  public let rawValue: String

  /// Wraps the authority's own identifier.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// A user that an authority confirmed.
public struct User: Hashable, Sendable {
  /// The permanent identity.
  public let id: UserID
  /// The name for logging in.
  public let username: String
  /// The name that screens show.
  public let displayName: String
  /// The user's role.
  public let role: Role
  /// What else the authority says about the user, by its own names, such as `email` or `tenant`.
  public let attributes: [String: String]

  /// Creates a user.
  ///
  /// A value of this type proves nothing: only a ``LoggedInSession`` does.
  public init(id: UserID, username: String, displayName: String, role: Role, attributes: [String: String] = [:]) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.role = role
    self.attributes = attributes
  }
}
