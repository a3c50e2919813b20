public import AuthCore

/// The operations without a session.
extension Backend {
  /// Checks whether a name can be registered, before a password is typed for it.
  ///
  /// The registration checks again.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused`
  ///   (`registration_closed`, or `username_taken` for one that is or was in use), `unavailable`
  ///   when no account could be stored. A database that registering would create is not missing.
  package func check(newUsername username: String) throws(BackendError) { try ask(Operations.checkUsername, username) }

  /// Checks whether a password may be set, before it is typed again.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that the name or the password
  ///   breaks.
  package func check(newPassword password: Secret, for username: String) throws(BackendError) {
    try ask(Operations.checkPassword, password, username)
  }

  /// Checks whether a login could be stored, before a password is typed.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` with the cause.
  package func checkForLogins() throws(BackendError) { try ask(Operations.checkForLogins) }

  /// Creates an account, without logging in.
  ///
  /// The first account ever is an administrator's. Each account opens with 100.00.
  ///
  /// - Parameters:
  ///   - username: 1 to 64 letters, digits, `.`, `_` or `-`.
  ///   - password: At least 15 characters and at most 511 bytes; see ``PasswordPolicy``.
  ///   - displayName: The name that screens show; nil shows the user name as typed.
  /// - Returns: The new user.
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `refused` (`username_taken`) for a name that is or was in use, (`registration_closed`) when
  ///   only an administrator may, `unavailable` when nothing could be stored.
  public func register(
    username: String, password: Secret, displayName: String? = nil
  ) throws(BackendError) -> User {
    try ask(Operations.register, username, password, displayName)
  }

  /// Sets a new password with a recovery code or a one-time code, and ends all sessions of the
  /// user.
  ///
  /// A right code works once. It also works while the account is locked or must wait, and ends
  /// that; a disabled account stays disabled. The throttle of passwords counts a wrong code. An
  /// unknown name, a disabled account and a wrong, used or expired code get the same answer at the
  /// same cost.
  ///
  /// - Parameters:
  ///   - username: Whose account.
  ///   - code: The code as typed.
  ///   - password: The new password; see ``PasswordPolicy``.
  /// - Returns: The user. Nobody is logged in.
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `credentials` for a code that is not accepted, `throttled` after too many of these.
  package func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User {
    try ask(Operations.recover, username, code, password)
  }

  /// Makes a one-time code for a user who forgot the password, as the owner of the database file.
  ///
  /// It needs no session. The event records that the owner did it.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `not_database_owner`).
  package func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    try ask(Operations.resetPasswordAsOwner, name)
  }
}

/// The account of the leased session.
///
/// A `FreshSession` proves that the password was entered recently; the lease is of the same
/// session.
extension Backend {
  /// The leased session's account, with its balance.
  package func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try ask(Operations.profile, lease.token()) { $0 }
  }

  /// Changes the name that screens show.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 characters, none of them a control character.
  ///   - lease: The session whose account it is.
  /// - Returns: The updated account.
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted.
  package func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    try ask(Operations.rename, lease.token()) { (name, $0) }
  }

  /// Changes the password, ends the user's other sessions, and gives this one a new token.
  ///
  /// The change commits only if `present` is still the password at that moment. So of two changes
  /// at once exactly one is made, and the other one is refused because its present password is
  /// wrong.
  ///
  /// It asks for no second step, because a fresh key had one.
  ///
  /// - Returns: The grant with the new token. Hand it to `adopt` of the session's store.
  /// - Throws: ``BackendError`` of kind `invalid` for a new password that is not accepted,
  ///   `credentials` when `present` is not the password any more, `notFresh` or `throttled`.
  package func changePassword(
    from present: Secret, to password: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant {
    let (token, newToken) = (try lease.token(with: session), try drawToken())
    return try ask(Operations.changePassword, token) { (present, password, $0, newToken) }
  }

  /// Deletes the leased session's account, and ends its sessions.
  ///
  /// What identifies the user is erased. Payments stay, and name a ``DeletedAccount``. The user
  /// name is never given again. The opening credit of an account without payments is paid back; any
  /// other account must have the balance 0.00.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`balance_not_zero`, `last_administrator`) or
  ///   `notFresh`.
  package func deleteAccount(for session: FreshSession, under lease: borrowing SessionLease) throws(BackendError) {
    try ask(Operations.deleteOwnAccount, lease.token(with: session)) { $0 }
  }

  /// Makes ten recovery codes, which replace the earlier ones.
  ///
  /// Only their hashes are stored.
  ///
  /// - Returns: The codes.
  /// - Throws: ``BackendError`` of kind `notFresh`.
  package func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode] {
    try ask(Operations.makeRecoveryCodes, lease.token(with: session)) { $0 }
  }

  /// Whether the leased session's user is asked for a code after the password.
  ///
  /// Of a user who must have a second step and has none, a backend takes this operation,
  /// ``beginTwoStep(for:under:)``, ``confirmTwoStep(_:for:under:)``, ``endAllSessions(under:)`` and
  /// those of ``AuthCore/Authority``. It refuses all others that take a lease
  /// (`two_step_required`).
  package func twoStep(under lease: borrowing SessionLease) throws(BackendError) -> TwoStepState {
    try ask(Operations.twoStep, lease.token()) { $0 }
  }

  /// Makes a secret for codes, which replaces one that was not confirmed.
  ///
  /// Logins ask for no code until ``confirmTwoStep(_:for:under:)``.
  ///
  /// - Returns: The secret, which cannot be retrieved later.
  /// - Throws: ``BackendError`` of kind `refused` (`two_step_already_on`) or `notFresh`.
  package func beginTwoStep(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepSecret {
    try ask(Operations.beginTwoStep, lease.token(with: session)) { $0 }
  }

  /// Turns the second step on, with a code of the secret.
  ///
  /// From now on the right password of this user gets a challenge. The code is not accepted again.
  /// A wrong code is not counted, because it grants no access.
  ///
  /// - Throws: ``BackendError`` of kind `credentials` for a wrong code, `refused`
  ///   (`two_step_already_on`, `two_step_not_begun`) or `notFresh`.
  package func confirmTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.confirmTwoStep, lease.token(with: session)) { (code, $0) }
  }

  /// Turns the second step off, with a code or a recovery code.
  ///
  /// A wrong one is counted by the throttle of passwords.
  ///
  /// - Throws: ``BackendError`` of kind `credentials` for a wrong code, `refused`
  ///   (`two_step_not_on`), `throttled` or `notFresh`.
  package func endTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.endTwoStep, lease.token(with: session)) { (code, $0) }
  }

  /// The live sessions of the leased session's user, newest first.
  package func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    try ask(Operations.sessions, lease.token()) { (SessionsPage(), $0) }
  }

  /// Ends one session of the same user.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`session_not_found`) when the user has no live
  ///   session of that name, or `notFresh`.
  package func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.revokeSession, lease.token(with: session)) { (id, $0) }
  }

  /// Ends every session of the leased session's user, including this one.
  ///
  /// - Returns: How many were live.
  package func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int {
    try ask(Operations.endAllSessions, lease.token()) { $0 }
  }
}
