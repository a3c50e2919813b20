public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// Accounts in the order of their names, for an administrator.
  ///
  /// - Parameters:
  ///   - after: Only names after this one; nil begins with the first.
  ///   - limit: How many at most.
  ///   - administrator: Proves the role; it is checked again.
  ///   - lease: The same session.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``LocalFailure`` of kind `notPermitted`, `session` or `unavailable`.
  public func accounts(
    after: String? = nil, limit: Int = 50, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> [AccountSummary] {
    try Self.require(administrator.session.id, is: lease.sessionID)
    return try accounts(after: after, limit: limit, token: lease.token)
  }

  /// One account, for an administrator.
  ///
  /// - Throws: ``LocalFailure`` of kind `refused` (`account_not_found`), `notPermitted`, `session` or `unavailable`.
  public func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> AccountSummary {
    try Self.require(administrator.session.id, is: lease.sessionID)
    return try account(named: name, token: lease.token)
  }

  /// Disables an account, which ends its sessions, or enables it again.
  ///
  /// - Parameters:
  ///   - disabled: Whether it may not be used from now on.
  ///   - name: Whose account.
  ///   - administrator: Proves the role; it is checked again.
  ///   - fresh: Proves that the password was entered recently; it is checked again.
  ///   - lease: The same session.
  /// - Returns: The account as changed.
  /// - Throws: ``LocalFailure`` of kind `refused` (`account_not_found`, `last_administrator`), `notPermitted`,
  ///   `notFresh`, `session` or `unavailable`.
  public func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(LocalFailure) -> AccountSummary {
    try Self.require(administrator.session.id, is: lease.sessionID)
    try Self.require(fresh.session.id, is: lease.sessionID)
    return try setDisabled(disabled, account: name, token: lease.token)
  }

  /// Forgets the failed attempts on an account, so that the next one is heard.
  ///
  /// - Parameters:
  ///   - name: Whose account.
  ///   - administrator: Proves the role; it is checked again.
  ///   - fresh: Proves that the password was entered recently; it is checked again.
  ///   - lease: The same session.
  /// - Returns: The account as changed.
  /// - Throws: ``LocalFailure`` of kind `refused` (`account_not_found`), `notPermitted`, `notFresh`, `session` or
  ///   `unavailable`.
  public func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(LocalFailure) -> AccountSummary {
    try Self.require(administrator.session.id, is: lease.sessionID)
    try Self.require(fresh.session.id, is: lease.sessionID)
    return try unlock(account: name, token: lease.token)
  }

  /// Writes down that an administrator looked at accounts.
  ///
  /// - Parameters:
  ///   - subject: What was looked at.
  ///   - administrator: Proves the role; it is checked again.
  ///   - lease: The same session.
  /// - Throws: ``LocalFailure`` of kind `notPermitted`, `session` or `unavailable`.
  public func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(LocalFailure) {
    try Self.require(administrator.session.id, is: lease.sessionID)
    try writing(lease.token) { (db, own, _) throws(LocalFailure) in
      guard own.user.role == .administrator else { throw .notPermitted }
      try record(
        .sensitiveRead, account: own.account, actor: own.account, session: own.id, detail: subject, in: db)
    }
  }
}
