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
          return try countAttempt(onUnknown: name, at: now, in: db)
        }
        return try countAttempt(on: account, at: now, in: db)
      }
    }
    let grant = try accept(password, for: attempt, asking: StepRequest(session: nil, limits: limits)) {
      (db, account, now) throws(BackendError) in try logIn(account, limits, at: now, in: db)
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
      try writing(token, asActivity: false, beforeTwoStep: true) { (db, session, now) throws(BackendError) in
        try countAttempt(on: try account(session.account, in: db), at: now, in: db)
      }
    }
    let request = StepRequest(session: token, limits: limits)
    let grant = try accept(try? NormalizedPassword(typed), for: attempt, asking: request) {
      (db, account, now) throws(BackendError) in try refresh(token, of: account, limits, at: now, in: db)
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

  /// Begins a session and writes down that it did.
  func logIn(
    _ account: AccountRow, _ limits: LimitRequest, with code: UsedCode = .code, at now: BootInstant,
    in db: Connection
  ) throws(BackendError) -> Grant {
    let grant = try begin(account: account, limits: limits, at: now, in: db)
    let failures = account.throttle.failures
    let details = [failures > 0 ? "\(failures) failure\(failures == 1 ? "" : "s")" : nil, code.words]
    try record(
      failures > 0 ? .loginSucceededAfterFailures : .loginSucceeded, account: account.id, actor: account.id,
      session: grant.id, detail: Self.detail(details), in: db)
    return grant
  }

  /// Issues a token with new limits for a session, and writes down that it did.
  func refresh(
    _ token: SessionToken, of account: AccountRow, _ limits: LimitRequest, with code: UsedCode = .code,
    at now: BootInstant, in db: Connection
  ) throws(BackendError) -> Grant {
    let session = try claim(token, at: now, in: db)
    let grant = try issue(for: session, limits: limits, at: now, in: db)
    try record(
      .reauthenticated, account: account.id, actor: account.id, session: session.id, detail: code.words, in: db)
    return grant
  }

  private static func detail(_ parts: [String?]) -> String? {
    let parts = parts.compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// What came of a password.
  enum PasswordVerdict: Sendable {
    case granted(Grant)
    case wrong
    /// It is right, and a code is asked for.
    case challenged(Challenge)
  }

  /// Verifies a password outside any transaction, then commits `body` with the end of the
  /// throttle's count.
  ///
  /// If a new password or a login that raised the cost changed the stored hash in between, the
  /// password is verified against the new hash.
  ///
  /// - Parameters:
  ///   - password: The password as typed; nil for what cannot be one.
  ///   - attempt: The attempt that was counted for it.
  ///   - request: What a code would go on with, where one may be asked for; nil where it was given
  ///     already.
  ///   - body: Runs in the transaction.
  /// - Returns: Nil when the password is wrong, and when the account is missing or disabled. Each
  ///   costs the same.
  /// - Throws: ``BackendError`` of kind `challenged` when it is right and a code is asked for.
  func accept(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt, asking request: StepRequest?,
    _ body: (Connection, AccountRow, BootInstant) throws(BackendError) -> Grant
  ) throws(BackendError) -> Grant? {
    let verdict = try refunding(attempt) { () throws(BackendError) in
      try verify(password, for: attempt, asking: request, body)
    }
    switch verdict {
    case .granted(let grant): return grant
    case .wrong: return nil
    case .challenged(let challenge): throw .challenged(challenge)
    }
  }

  private func verify(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt, asking request: StepRequest?,
    _ body: (Connection, AccountRow, BootInstant) throws(BackendError) -> Grant
  ) throws(BackendError) -> PasswordVerdict {
    guard var account = attempt.account else {
      try hasher.pretendToVerify(password)
      return .wrong
    }
    while true {
      guard try hasher.verifies(password, against: account.passwordHash), let password, !account.isDisabled else {
        return .wrong
      }
      let newHash = hasher.isOutdated(account.passwordHash) ? try hasher.hash(password) : nil
      let (verdict, current) = try database.write { (db) throws(BackendError) -> (PasswordVerdict?, AccountRow) in
        let current = try self.account(account.id, in: db)
        guard current.passwordHash == account.passwordHash, !current.isDisabled else { return (nil, current) }
        let now = try now()
        if try asksForCode(current.id, in: db) {
          // The right password alone ends no count, or whoever has it could try codes for ever.
          try refundAttempt(attempt, in: db)
          if let request, let challenge = try challenge(current, newHash, request, at: now, in: db) {
            return (.challenged(challenge), current)
          }
        } else {
          try store(ThrottleRecord(), account: account.id, in: db)
        }
        let grant = try body(db, current, now)
        try take(newHash, of: current, in: grant.id, in: db)
        return (.granted(grant), current)
      }
      if let verdict { return verdict }
      account = current
    }
  }

  /// Stores a hash of higher cost after a whole login, and writes down that it did.
  ///
  /// A password that was changed in the same transaction stays.
  func take(_ newHash: String?, of account: AccountRow, in session: SessionID, in db: Connection) throws(BackendError) {
    guard let newHash else { return }
    let changes = try db.run(
      AccountQuery.rehash, .text(newHash), .integer(account.id), .text(account.passwordHash))
    if changes > 0 {
      try record(.passwordRehashed, account: account.id, actor: account.id, session: session, in: db)
    }
  }

  /// Asks for a code, unless the password was changed with one a moment ago.
  private func challenge(
    _ account: AccountRow, _ newHash: String?, _ request: StepRequest, at now: BootInstant, in db: Connection
  ) throws(BackendError) -> Challenge? {
    let session = try request.session.map { (token) throws(BackendError) in try claim(token, at: now, in: db).id }
    if let session, excuses.take(session, with: account.passwordHash, at: now) { return nil }
    try record(
      .twoStepAsked, account: account.id, actor: session.map { _ in account.id }, session: session, in: db)
    return steps.open(
      for: PasswordAccepted(
        account: account.id, passwordHash: account.passwordHash, newHash: newHash, step: request),
      token: SessionToken(bytes: try Secrets.random(count: 32)), at: now)
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
