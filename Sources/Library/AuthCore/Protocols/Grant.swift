/// The public name of a session, for lists and events.
///
/// It is not a secret and gives no access. An authority issues each name only once, across all
/// users.
public struct SessionID: RawRepresentable, Hashable, Sendable {
  /// The identifier in the authority's own form.
  public let rawValue: String

  /// Wraps the authority's own identifier.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// The successful answer of an authority: the user, the token and the limits.
public struct Grant: Hashable, Sendable {
  /// The public name of the session.
  public let id: SessionID
  /// The user of the session.
  public let user: User
  /// The secret to use from now on.
  public let token: SessionToken
  /// The limits of the session.
  public let limits: SessionLimits
  /// A token for requests of the app, if the authority issues such tokens; nil leaves the session
  /// with the one that it has.
  public let accessToken: AccessToken?

  /// Creates a grant.
  ///
  /// For authorities.
  public init(
    id: SessionID, user: User, token: SessionToken, limits: SessionLimits, accessToken: AccessToken? = nil
  ) {
    self.id = id
    self.user = user
    self.token = token
    self.limits = limits
    self.accessToken = accessToken
  }
}

extension Grant {
  /// The grant with this access token, if it has none of its own.
  func lending(_ accessToken: AccessToken?) -> Grant {
    Grant(id: id, user: user, token: token, limits: limits, accessToken: self.accessToken ?? accessToken)
  }

  /// Whether both grants belong to one session: the same name and the same user.
  func isOfSameSession(as other: Grant) -> Bool {
    id == other.id && user.id == other.user.id
  }

  /// Returns why the grant cannot be used: a limit is reached or missing.
  ///
  /// - Returns: Nil if it can be used, or if the clock cannot be read.
  func flaw(on clock: any SessionClock) -> EndReason? {
    do throws(ClockError) { return limits.endReason(at: try clock.now()) } catch { return nil }
  }
}

/// Shorter limits than the authority's own, for one login.
///
/// An authority never grants longer limits than its own.
public struct LimitRequest: Hashable, Sendable {
  /// The requested idle limit; nil means the authority's own.
  public let idle: Duration?
  /// The requested absolute limit; nil means the authority's own.
  public let absolute: Duration?

  /// Creates a request.
  public init(idle: Duration? = nil, absolute: Duration? = nil) {
    self.idle = idle
    self.absolute = absolute
  }

  /// The authority's own limits.
  package static let standard = LimitRequest()
}
