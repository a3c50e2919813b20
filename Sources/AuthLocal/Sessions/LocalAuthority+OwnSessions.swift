public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// The live sessions of the leased session's user, newest first.
  ///
  /// - Throws: ``LocalFailure`` of kind `session` or `unavailable`.
  public func sessions(under lease: borrowing SessionLease) throws(LocalFailure) -> [SessionSummary] {
    try sessions(token: lease.token)
  }

  /// Ends one session of the same user.
  ///
  /// - Parameters:
  ///   - id: Its public name.
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``LocalFailure`` of kind `refused` (`session_not_found`) when the user has no live session of that name;
  ///   `notFresh`, `session`, `unavailable`.
  public func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) {
    try Self.require(session.session.id, is: lease.sessionID)
    try revokeSession(id, token: lease.token)
  }

  /// Ends every session of the leased session's user, this one too.
  ///
  /// - Returns: How many were live.
  /// - Throws: ``LocalFailure`` of kind `session` or `unavailable`.
  public func endAllSessions(under lease: borrowing SessionLease) throws(LocalFailure) -> Int {
    try endAllSessions(token: lease.token)
  }
}
