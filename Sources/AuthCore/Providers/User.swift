/// What a user may do beyond their own account.
public enum Role: String, Hashable, Sendable, CaseIterable {
  /// An ordinary account.
  case member
  /// May see and change other accounts.
  case administrator
}

/// Names a user for good; a username may be shown or changed, this never is.
public struct UserID: RawRepresentable, Hashable, Sendable {
  /// The identifier in the authority's own form.
  public let rawValue: String

  /// Wraps the authority's own identifier.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// Somebody an authority vouched for.
public struct User: Hashable, Sendable {
  /// The lasting identity.
  public let id: UserID
  /// The name they log in with.
  public let username: String
  /// The name screens show.
  public let displayName: String
  /// What they may do.
  public let role: Role

  /// Creates a user.
  ///
  /// Holding one proves nothing: only a ``LoggedInSession`` does.
  public init(id: UserID, username: String, displayName: String, role: Role) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.role = role
  }
}
