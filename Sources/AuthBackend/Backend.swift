public import AuthCore
public import AuthDevice

/// The operations that a program of accounts, sessions and payments needs from its database.
///
/// An operation on a user's data takes a lease of the user's session and the stronger key that it
/// needs, so it cannot be called without a session. A key is as old as the moment it was made. So
/// the backend checks session, freshness, role and balance again, in the transaction of the effect.
///
/// Every call blocks its caller until the answer is there. Calls are safe from any thread and from
/// many processes at once. `LocalAuthority` in `AuthSQLite` is the embedded conformer.
/// `BackendContract` is the test suite that a conformer passes.
///
/// Unless an operation says otherwise, it throws a ``BackendError`` of kind `session` when the
/// leased session is over, and of kind `unavailable` when the database cannot answer.
public protocol Backend: Authority {
  /// The clock that measures the limits of this backend's sessions.
  var clock: any SessionClock { get }

  /// The limits of this backend's sessions; a login may ask for shorter ones.
  var policy: SessionPolicy { get }

  /// Which tokens this backend issues.
  var issuer: TokenIssuer { get }

  /// The connection to a service; nil for a backend without one, and before the first call.
  var connection: BackendConnection? { get }

  /// Finds the grant of a token, if it is the current token of an active session.
  ///
  /// It reads once, writes nothing and does not suspend. Use it to find out who is logged in.
  ///
  /// - Returns: Nil for every other token; ``AuthCore/Authority/resume(_:)`` says why and records
  ///   the event.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  func lookUp(_ token: SessionToken) throws(BackendError) -> Grant?

  /// Makes a source that says when to look again, for screens that follow a session live.
  func changes() throws(BackendError) -> any ChangeSource

  // MARK: Before a password is typed

  /// Checks whether a name can be registered, before a password is typed for it.
  ///
  /// The registration checks again.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused`
  ///   (`registration_closed`, or `username_taken` for one that is or was in use), `unavailable`
  ///   when no account could be stored. A database that registering would create is not missing.
  func check(newUsername username: String) throws(BackendError)

  /// Checks whether a password may be set, before it is typed again.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that the name or the password
  ///   breaks.
  func check(newPassword password: Secret, for username: String) throws(BackendError)

  /// Checks whether a login could be stored, before a password is typed.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` with the cause.
  func checkForLogins() throws(BackendError)

  // MARK: Accounts

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
  func register(username: String, password: Secret, displayName: String?) throws(BackendError) -> User

  /// The leased session's account, with its balance.
  func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile

  /// Changes the name that screens show.
  ///
  /// - Parameters:
  ///   - name: 1 to 64 characters, none of them a control character.
  ///   - lease: The session whose account it is.
  /// - Returns: The account as changed.
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted.
  func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile

  /// Changes the password, ends the user's other sessions, and gives this one a new token.
  ///
  /// The change commits only if `present` is still the password at that moment. So of two changes
  /// at once exactly one is made, and the other one is refused because its present password is
  /// wrong.
  ///
  /// It asks for no second step, because a fresh key had one. Neither does the next
  /// reauthentication of this session with the new password.
  ///
  /// - Parameters:
  ///   - present: The present password.
  ///   - password: The new password.
  ///   - session: Proves that the present password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The grant with the new token, to be kept in place of the old one.
  /// - Throws: ``BackendError`` of kind `invalid` for a new password that is not accepted,
  ///   `credentials` when `present` is not the password any more, `notFresh` or `throttled`.
  func changePassword(
    from present: Secret, to password: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant

  /// Deletes the leased session's account, and ends its sessions.
  ///
  /// What identifies the user is erased. Payments stay, and name a ``DeletedAccount``. The user
  /// name is never given again.
  ///
  /// - Parameters:
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `refused` (`balance_not_zero`, `last_administrator`) or
  ///   `notFresh`.
  func deleteAccount(for session: FreshSession, under lease: borrowing SessionLease) throws(BackendError)

  // MARK: A forgotten password

  /// Makes ten recovery codes, which take the place of those made before.
  ///
  /// They are not kept: only their hashes are.
  ///
  /// - Parameters:
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The codes.
  /// - Throws: ``BackendError`` of kind `notFresh`.
  func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode]

  /// Sets a new password with a recovery code or a one-time code, and ends all sessions of the
  /// user.
  ///
  /// A right code works once. It works while the account is locked or must wait, and ends that; it
  /// does not open a disabled account. A wrong code is counted by the throttle of passwords. An
  /// unknown name, a disabled account and a wrong, used or expired code get one answer at one cost.
  ///
  /// - Parameters:
  ///   - username: Whose account.
  ///   - code: The code as typed.
  ///   - password: The new password; see ``PasswordPolicy``.
  /// - Returns: The user. Nobody is logged in.
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `credentials` when the code opens nothing, `throttled` when a code that opens nothing was
  ///   one too many.
  func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User

  /// Makes a one-time code for a user who forgot the password, valid for an hour.
  ///
  /// It takes the place of a one-time code made before. Password and sessions stay as they are
  /// until the code is used.
  ///
  /// - Parameters:
  ///   - name: Whose account.
  ///   - administrator: Proves the role.
  ///   - fresh: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The code.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), `notPermitted` or
  ///   `notFresh`.
  func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode

  /// Does the same for a caller who owns the database itself, without a session.
  ///
  /// The event says so.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `not_database_owner`).
  func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode

  // MARK: A second step

  /// Whether the leased session's user is asked for a code after the password.
  ///
  /// Of a user who must have a second step and has none, a backend takes this operation,
  /// ``beginTwoStep(for:under:)``, ``confirmTwoStep(_:for:under:)``, ``endAllSessions(under:)`` and
  /// those of ``AuthCore/Authority``. It refuses all others that take a lease
  /// (`two_step_required`).
  func twoStep(under lease: borrowing SessionLease) throws(BackendError) -> TwoStepState

  /// Makes a secret for codes, in place of one that was not confirmed.
  ///
  /// Nothing is asked for until ``confirmTwoStep(_:for:under:)``.
  ///
  /// - Parameters:
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The secret, which nothing gives again.
  /// - Throws: ``BackendError`` of kind `refused` (`two_step_already_on`) or `notFresh`.
  func beginTwoStep(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepSecret

  /// Turns the second step on, with a code of the secret.
  ///
  /// From now on the right password of this user is answered with a challenge. The code opens
  /// nothing more. A wrong one is not counted, because it opens nothing either.
  ///
  /// - Parameters:
  ///   - code: Six digits.
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `credentials` for a wrong code, `refused`
  ///   (`two_step_already_on`, `two_step_not_begun`) or `notFresh`.
  func confirmTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError)

  /// Turns the second step off, with a code or a recovery code.
  ///
  /// A wrong one is counted by the throttle of passwords.
  ///
  /// - Parameters:
  ///   - code: What would answer a challenge.
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `credentials` for a wrong code, `refused`
  ///   (`two_step_not_on`), `throttled` or `notFresh`.
  func endTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError)

  /// Who must have a second step.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  func twoStepPolicy(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepPolicy

  /// Changes who must have a second step, at once and for sessions that are open too.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` or `notFresh`.
  func setTwoStepPolicy(
    _ policy: TwoStepPolicy, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError)

  // MARK: Own sessions

  /// The live sessions of the leased session's user, newest first.
  func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary]

  /// Ends one session of the same user.
  ///
  /// - Parameters:
  ///   - id: Its public name.
  ///   - session: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `refused` (`session_not_found`) when the user has no live
  ///   session of that name, or `notFresh`.
  func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError)

  /// Ends every session of the leased session's user, this one too.
  ///
  /// - Returns: How many were live.
  func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int

  // MARK: Payments

  /// The receipt of an identical order that was paid under the same idempotency key.
  ///
  /// It needs no recent password: nothing is paid, and a retry that lost its answer must get it.
  ///
  /// - Returns: The receipt, or nil when the order has no key or the key was not used.
  /// - Throws: ``BackendError`` of kind `refused` (`idempotency_key_reused`) when the key was used
  ///   for another order.
  func earlierPayment(of order: PaymentOrder, under lease: borrowing SessionLease) throws(BackendError) -> Receipt?

  /// Pays, in one transaction with every check: session, freshness, accounts, balance.
  ///
  /// - Parameters:
  ///   - intent: The decision to pay; ``PaymentIntent/submit(under:)`` calls this.
  ///   - lease: A lease of the session that the intent was made for.
  /// - Returns: The receipt; with an idempotency key that was used for the same order before, the
  ///   first receipt.
  /// - Throws: ``BackendError``; nothing was paid.
  func pay(_ intent: consuming PaymentIntent, under lease: borrowing SessionLease) throws(BackendError) -> Receipt

  /// Payments from and to the leased session's account, newest first.
  ///
  /// - Parameters:
  ///   - times: Only those made within; see ``TimeSpan``.
  ///   - text: Only those that contain this text in their number, in their amount with its sign
  ///     (`-12.50`) or in the name of the other account; in any case; all if it is empty.
  ///   - before: Only receipts older than this one; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  func receipts(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Receipt]

  // MARK: Events

  /// Events that concern the leased session's account, newest first.
  ///
  /// - Parameters:
  ///   - times: Only those written within; see ``TimeSpan``.
  ///   - text: Only those that contain this text in their name, their detail, or the name of the
  ///     account, the actor or the session; in any case; all if it is empty.
  ///   - before: Only events before this number; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``BackendError`` of kind `session` or `unavailable`.
  func events(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event]

  /// Events of every account, newest first.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  func allEvents(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event]

  // MARK: Administration

  /// Accounts.
  ///
  /// - Parameters:
  ///   - query: Which, and in which order.
  ///   - administrator: Proves the role.
  ///   - lease: The same session.
  /// - Returns: The page; shorter than the limit when it is the last.
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role, or `refused`
  ///   (`account_not_found`) where the order needs the account that the page comes after.
  func accounts(
    _ query: AccountsQuery, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary]

  /// One account.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), or `notPermitted` without
  ///   the role.
  func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary

  /// Disables an account, which ends its sessions, or enables it again.
  ///
  /// - Parameters:
  ///   - disabled: True to disable, false to enable.
  ///   - name: Whose account.
  ///   - administrator: Proves the role.
  ///   - fresh: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The account as changed.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `last_administrator`),
  ///   `notPermitted` or `notFresh`.
  func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary

  /// Forgets the failed attempts on an account, so that the next one is checked.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), `notPermitted` or
  ///   `notFresh`.
  func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary

  /// Makes an account an administrator's or a member's; its sessions go on.
  ///
  /// - Parameters:
  ///   - role: The new role.
  ///   - name: Whose account.
  ///   - administrator: Proves the role of the caller.
  ///   - fresh: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The account as changed.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `last_administrator`),
  ///   `notPermitted` or `notFresh`.
  func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary

  /// Deletes an account and ends its sessions; see ``deleteAccount(for:under:)``.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `balance_not_zero`,
  ///   `last_administrator`), `notPermitted` or `notFresh`.
  func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError)

  /// Who may create accounts.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration

  /// Opens or closes the registration.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` or `notFresh`.
  func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError)

  /// Creates an account for somebody else, whether the registration is open or closed.
  ///
  /// It has no password. Its user sets one with the code, which is valid for three days.
  ///
  /// - Parameters:
  ///   - username: 1 to 64 letters, digits, `.`, `_` or `-`.
  ///   - administrator: Proves the role.
  ///   - fresh: Proves that the password was entered recently.
  ///   - lease: The same session.
  /// - Returns: The user and the code.
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused`
  ///   (`username_taken`), `notPermitted` or `notFresh`.
  func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode

  /// Records that an administrator read other users' data.
  ///
  /// - Parameters:
  ///   - subject: What was read, such as `accounts`.
  ///   - administrator: Proves the role.
  ///   - lease: The same session.
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError)
}

extension Backend {
  /// Creates an account whose screens show the user name as typed.
  public func register(username: String, password: Secret) throws(BackendError) -> User {
    try register(username: username, password: password, displayName: nil)
  }
}

extension SessionLease {
  /// Checks, for an effect that needs stronger keys, that they are of this session.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`session_mismatch`) when a key belongs to
  ///   another session.
  public func check(_ keys: LoggedInSession...) throws(BackendError) {
    for key in keys { try require(key.id) }
  }

  /// The token of this session, for a backend of this package, after ``check(_:)``.
  package func token(with keys: LoggedInSession...) throws(BackendError) -> SessionToken {
    for key in keys { try require(key.id) }
    return sessionToken
  }

  func require(_ session: SessionID) throws(BackendError) {
    guard session == sessionID else { throw .refused(.sessionMismatch) }
  }
}
