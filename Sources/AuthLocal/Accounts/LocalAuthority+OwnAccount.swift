public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// The leased session's own account, with its balance.
  ///
  /// - Throws: ``LocalFailure`` of kind `session` or `unavailable`.
  public func profile(under lease: borrowing SessionLease) throws(LocalFailure) -> Profile {
    try profile(token: lease.token)
  }

  /// Changes the name that screens show.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 characters, none of them a control character.
  ///   - lease: The session whose account it is.
  /// - Returns: The account as changed.
  /// - Throws: ``LocalFailure`` of kind `invalid`, `session` or `unavailable`.
  public func rename(to name: String, under lease: borrowing SessionLease) throws(LocalFailure) -> Profile {
    try rename(to: name, token: lease.token)
  }

  /// Changes the password, ends the user's other sessions, and gives this one a new token.
  ///
  /// The change commits only if `present` is still the password at that moment. So of two changes at once exactly one is made,
  /// and the other one is told that its present password is not accepted.
  ///
  /// - Parameters:
  ///   - present: The present password.
  ///   - password: The new password.
  ///   - session: Proves that the present password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The grant with the new token, to be kept in the place of the old.
  /// - Throws: ``LocalFailure`` of kind `invalid` for a new password that is not accepted, `credentials` when
  ///   `present` is not the password (any more); `notFresh`, `session`, `throttled`, `unavailable`.
  public func changePassword(
    from present: Password, to password: Password, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> Grant {
    try Self.require(session.session.id, is: lease.sessionID)
    return try changePassword(from: present, to: password, token: lease.token)
  }
}
