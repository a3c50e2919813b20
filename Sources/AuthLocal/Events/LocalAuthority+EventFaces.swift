public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// Events that concern the leased session's own account, newest first.
  ///
  /// - Parameters:
  ///   - since: Only those written at this time or later; nil for all.
  ///   - before: Only those before this number; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``LocalFailure`` of kind `session` or `unavailable`.
  public func events(
    since: WallTime? = nil, before: Int64? = nil, limit: Int = 50, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> [Event] {
    try events(.own, since: since, before: before, limit: limit, token: lease.token)
  }

  /// All events, newest first, for an administrator.
  ///
  /// - Parameters:
  ///   - since: Only those written at this time or later; nil for all.
  ///   - before: Only those before this number; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - administrator: Proves the role; it is checked again.
  ///   - lease: The same session.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``LocalFailure`` of kind `notPermitted`, `session` or `unavailable`.
  public func allEvents(
    since: WallTime? = nil, before: Int64? = nil, limit: Int = 50, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(LocalFailure) -> [Event] {
    try Self.require(administrator.session.id, is: lease.sessionID)
    return try events(.everyone, since: since, before: before, limit: limit, token: lease.token)
  }
}
