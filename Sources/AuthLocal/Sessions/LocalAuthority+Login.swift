package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// Checks credentials and begins a session: count, hash, then commit.
  package func logIn(_ credentials: Credentials, limits: LimitRequest) throws(BackendError) -> Grant {
    let password = try? NormalizedPassword(credentials.password)
    let name = try? Username(credentials.username)
    let attempt = try allowedAttempt { () throws(BackendError) in
      try database.write { (db) throws(BackendError) in
        let now = try now()
        guard let name, let account = try account(named: name, in: db) else {
          return try countAttempt(onUnknown: credentials.username, at: now, in: db)
        }
        return try countAttempt(on: account, at: now, in: db)
      }
    }
    let grant = try accept(password, for: attempt) { (db, account, now) throws(BackendError) in
      let grant = try begin(account: account, limits: limits, at: now, in: db)
      let failures = account.throttle.failures
      try record(
        failures > 0 ? .loginSucceededAfterFailures : .loginSucceeded, account: account.id, actor: account.id,
        session: grant.id, detail: failures > 0 ? "\(failures) failure\(failures == 1 ? "" : "s")" : nil, in: db)
      return grant
    }
    guard let grant else {
      try database.write { (db) throws(BackendError) in
        try fail(attempt, in: db)
        try record(.loginFailed, account: attempt.account?.id, in: db)
      }
      throw .credentialsNotAccepted
    }
    return grant
  }

  /// Checks the password of a live session's user, and issues a token with new limits.
  package func reauthenticate(
    _ token: SessionToken, password typed: Password, requesting limits: LimitRequest
  ) throws(BackendError) -> Grant {
    let attempt = try allowedAttempt { () throws(BackendError) in
      try writing(token, asActivity: false) { (db, session, now) throws(BackendError) in
        try countAttempt(on: try account(session.account, in: db), at: now, in: db)
      }
    }
    let grant = try accept(try? NormalizedPassword(typed), for: attempt) {
      (db, account, now) throws(BackendError) in
      let session = try claim(token, at: now, in: db)
      let grant = try issue(for: session, limits: limits, at: now, in: db)
      try record(.reauthenticated, account: account.id, actor: account.id, session: session.id, in: db)
      return grant
    }
    guard let grant else {
      try database.write { (db) throws(BackendError) in
        try fail(attempt, in: db)
        try record(
          .reauthenticationFailed, account: attempt.account?.id, actor: attempt.account?.id, in: db)
      }
      throw .credentialsNotAccepted
    }
    return grant
  }

  /// Verifies a password outside any transaction, then commits `body` with the end of the
  /// throttle's count.
  ///
  /// If a new password or a login that raised the cost changed the stored hash in between, the
  /// password is verified against the new hash.
  ///
  /// - Returns: Nil when the password is wrong, and when the account is missing or disabled. Each
  ///   costs the same.
  func accept(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt,
    _ body: (Connection, AccountRow, BootInstant) throws(BackendError) -> Grant
  ) throws(BackendError) -> Grant? {
    do throws(BackendError) {
      return try verify(password, for: attempt.account, body)
    } catch {
      // The password was not checked. If the refund fails too, for the same reason, the attempt
      // stays counted.
      try? database.write { (db) throws(BackendError) in try refundAttempt(attempt, in: db) }
      throw error
    }
  }

  private func verify(
    _ password: NormalizedPassword?, for account: AccountRow?,
    _ body: (Connection, AccountRow, BootInstant) throws(BackendError) -> Grant
  ) throws(BackendError) -> Grant? {
    guard var account else {
      try hasher.pretendToVerify(password)
      return nil
    }
    while true {
      guard try hasher.verifies(password, against: account.passwordHash), let password, !account.isDisabled else {
        return nil
      }
      let newHash = hasher.isOutdated(account.passwordHash) ? try hasher.hash(password) : nil
      let (grant, current) = try database.write { (db) throws(BackendError) -> (Grant?, AccountRow) in
        let current = try self.account(account.id, in: db)
        guard current.passwordHash == account.passwordHash, !current.isDisabled else { return (nil, current) }
        if let newHash {
          try db.run(AccountQuery.rehash, .text(newHash), .integer(account.id), .text(account.passwordHash))
        }
        try store(ThrottleRecord(), account: account.id, in: db)
        return (try body(db, current, try now()), current)
      }
      if let grant { return grant }
      account = current
    }
  }

  func account(named name: Username, in db: Connection) throws(BackendError) -> AccountRow? {
    try db.first(AccountQuery.byName, .text(name.canonical)) { (row) throws(BackendError) in
      try AccountRow(row, in: db)
    }
  }

  func account(_ id: Int64, in db: Connection) throws(BackendError) -> AccountRow {
    let row = try db.first(AccountQuery.byID, .integer(id)) { (row) throws(BackendError) in try AccountRow(row, in: db)
    }
    guard let row else { throw db.damaged("account \(id) is gone") }
    return row
  }
}
