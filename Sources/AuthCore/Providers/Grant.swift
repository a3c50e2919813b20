/// Names a session in listings and events.
///
/// It is not a secret and opens nothing. An authority gives each name once, whoever the user is.
public struct SessionID: RawRepresentable, Hashable, Sendable {
  /// The identifier in the authority's own form.
  public let rawValue: String

  /// Wraps the authority's own identifier.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// What an authority gives after it was satisfied: who, the token, and until when.
public struct Grant: Hashable, Sendable {
  /// The public name of the session.
  public let id: SessionID
  /// Whose session it is.
  public let user: User
  /// The secret to present from now on.
  public let token: SessionToken
  /// Until when.
  public let limits: SessionLimits

  /// Creates a grant.
  ///
  /// For authorities.
  public init(id: SessionID, user: User, token: SessionToken, limits: SessionLimits) {
    self.id = id
    self.user = user
    self.token = token
    self.limits = limits
  }
}

extension Grant {
  /// Whether both grants are of one session: the same name for it, and the same user.
  func isOfSameSession(as other: Grant) -> Bool {
    id == other.id && user.id == other.user.id
  }
}

/// What a login asks of its limits, to have them shorter than the authority's own.
///
/// Longer is never given.
public struct LimitRequest: Hashable, Sendable {
  /// The wished idle limit; nil is the authority's own.
  public let idle: Duration?
  /// The wished absolute limit; nil is the authority's own.
  public let absolute: Duration?

  /// Creates a request.
  public init(idle: Duration? = nil, absolute: Duration? = nil) {
    self.idle = idle
    self.absolute = absolute
  }

  /// The authority's own limits.
  public static let standard = LimitRequest()
}
