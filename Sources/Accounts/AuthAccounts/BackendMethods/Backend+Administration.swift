package import AuthCore

/// The operations of administrators.
///
/// An `AdminSession` proves the role, and a `FreshSession` that the password was entered recently;
/// the lease is of the same session.
extension Backend {
  /// The accounts that match a query.
  ///
  /// - Returns: The page; shorter than the limit when it is the last.
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role, or `refused`
  ///   (`account_not_found`) where the order needs the account that the page comes after.
  package func accounts(
    _ query: AccountsQuery, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    try ask(Operations.accounts, lease.token(with: administrator)) { (query, $0) }
  }

  /// The account with a user name.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), or `notPermitted` without
  ///   the role.
  package func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try ask(Operations.account, lease.token(with: administrator)) { (name, $0) }
  }

  /// Disables an account, which ends its sessions, or enables it again.
  ///
  /// - Returns: The updated account.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `last_administrator`),
  ///   `notPermitted` or `notFresh`.
  package func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try ask(Operations.setDisabled, lease.token(with: administrator, fresh)) { (disabled, name, $0) }
  }

  /// Forgets the failed attempts on an account, so that the next one is checked.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), `notPermitted` or
  ///   `notFresh`.
  package func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try ask(Operations.unlock, lease.token(with: administrator, fresh)) { (name, $0) }
  }

  /// Changes the role of an account; its sessions stay active.
  ///
  /// - Returns: The updated account.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `last_administrator`),
  ///   `notPermitted` or `notFresh`.
  package func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try ask(Operations.setRole, lease.token(with: administrator, fresh)) { (role, name, $0) }
  }

  /// Deletes an account and ends its sessions; see ``deleteAccount(for:under:)``.
  ///
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`, `balance_not_zero`,
  ///   `last_administrator`), `notPermitted` or `notFresh`.
  package func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.deleteAccount, lease.token(with: administrator, fresh)) { (name, $0) }
  }

  /// Makes a one-time code for a user who forgot the password, valid for an hour.
  ///
  /// It replaces an earlier one-time code. Password and sessions do not change until the code is
  /// used.
  ///
  /// - Returns: The code.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`), `notPermitted` or
  ///   `notFresh`.
  package func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try ask(Operations.resetPassword, lease.token(with: administrator, fresh)) { (name, $0) }
  }

  /// Who must have a second step.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func twoStepPolicy(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepPolicy {
    try ask(Operations.twoStepPolicy, lease.token(with: administrator)) { $0 }
  }

  /// Changes who must have a second step, immediately and also for active sessions.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` or `notFresh`.
  package func setTwoStepPolicy(
    _ policy: TwoStepPolicy, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.setTwoStepPolicy, lease.token(with: administrator, fresh)) { (policy, $0) }
  }

  /// Who may create accounts.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration {
    try ask(Operations.registration, lease.token(with: administrator)) { $0 }
  }

  /// Opens or closes the registration.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` or `notFresh`.
  package func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.setRegistration, lease.token(with: administrator, fresh)) { (registration, $0) }
  }

  /// Creates an account for another user, even if the registration is closed.
  ///
  /// It has no password. Its user sets one with the code, which is valid for three days. For the
  /// name see ``register(username:password:displayName:)``.
  ///
  /// - Returns: The user and the code.
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused`
  ///   (`username_taken`), `notPermitted` or `notFresh`.
  package func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try ask(Operations.registerOther, lease.token(with: administrator, fresh)) { (username, $0) }
  }

  /// Records that an administrator read other users' data, such as `accounts`.
  ///
  /// - Throws: ``BackendError`` of kind `notPermitted` without the role.
  package func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try ask(Operations.noteView, lease.token(with: administrator)) { (subject, $0) }
  }
}
