import AuthAccounts
import AuthCore

extension Rules {
  /// Checks credentials and begins a session: count, hash, then commit.
  func logIn(
    _ credentials: Credentials, limits: LimitRequest, for new: NewSession
  ) throws(BackendError) -> Grant {
    let name = try? Username(credentials.username)
    let attempt = try allowedAttempt { () throws(BackendError) in
      try database.write(.rows) { (db) throws(BackendError) in
        if let name { try db.lock(.accountNamed(name.canonical)) }
        let account = try name.flatMap { (name) throws(BackendError) in try db.account(named: name) }
        if account == nil { try db.lock(.unknownNames) }
        return try db.countAttempt(on: account, named: name)
      }
    }
    let request = StepRequest(session: nil, limits: limits)
    let grant = try accept(credentials.password, for: attempt, asking: request) { (db, account) throws(BackendError) in
      try proceed(with: request, of: account, for: new, in: db)
    }
    endSurplus(of: attempt.account?.id, besides: grant.id)
    // Not a reason to refuse the login; the next one tries again.
    if !isShared { _ = try? tidy() }
    return grant
  }

  /// Checks the password of a live session's user, and issues a token with new limits.
  func reauthenticate(
    _ token: SessionToken, password: Secret, requesting limits: LimitRequest, as newToken: SessionToken
  ) throws(BackendError) -> Grant {
    let attempt = try allowedAttempt(under: token, .beforeTwoStep)
    let request = StepRequest(session: token.digest, limits: limits)
    let new = NewSession(token: newToken, label: nil, origin: nil)
    return try accept(password, for: attempt, asking: request) { (db, account) throws(BackendError) in
      try proceed(with: request, of: account, for: new, in: db)
    }
  }

  /// Counts an attempt on the account of a session, and returns it when its password may be
  /// checked.
  func allowedAttempt(
    under token: SessionToken, _ needs: SessionNeeds
  ) throws(BackendError) -> PasswordAttempt {
    try allowedAttempt { () throws(BackendError) in
      try writing(token, needs, asActivity: false) { (db, own) throws(BackendError) in
        try db.lock(.account(own.account))
        return try db.countAttempt(on: try db.account(own.account))
      }
    }
  }

  /// Begins a session, or issues a token with new limits for the one whose password was entered
  /// again, and logs the event.
  func proceed(
    with request: StepRequest, of account: AccountRow, for new: NewSession, used code: UsedCode = UsedCode(),
    in db: any Transaction
  ) throws(BackendError) -> Grant {
    if let hash = request.session {
      let session = try db.activeSession(hash)
      let grant = try issue(new.token, for: session, request.limits, in: db)
      try db.record(.reauthenticated, by: session, detail: code.words)
      return grant
    }
    // A login whose answer was lost is repeated under the same token, and is the same session.
    let known = try db.find(new.token)
    if case .live(let session) = known, session.account == account.id {
      return session.grant(try named(new.token, in: db))
    }
    try known.requireUnused()
    let grant = try begin(new, for: account, request.limits, in: db)
    try db.run(AccountQuery.noteLogin, db.wallTime, account.id)
    let failures = account.throttle.failures
    let details = [failures > 0 ? "\(failures) failure\(failures == 1 ? "" : "s")" : nil, code.words].compactMap(\.self)
    try db.record(
      failures > 0 ? .loginSucceededAfterFailures : .loginSucceeded, account: account.id, actor: account.id,
      session: grant.id, detail: details.isEmpty ? nil : details.joined(separator: ", "))
    return grant
  }

  /// Verifies a password outside any transaction, then commits `body` with the end of the
  /// throttle's count.
  ///
  /// If a new password or a login that raised the cost changed the stored hash in between, the
  /// password is verified against the new hash.
  ///
  /// - Parameters:
  ///   - typed: The password as typed.
  ///   - attempt: The attempt that was counted for it.
  ///   - scope: What `body` decides about.
  ///   - request: What a code continues, where the password may need one; nil if a code was given
  ///     already.
  ///   - body: Runs in the transaction.
  /// - Returns: What `body` returns.
  /// - Throws: ``BackendError`` of kind `credentials` when the password is wrong, and when the
  ///   account is missing or disabled, which costs the same; of kind `challenged` when it is right
  ///   and a code is asked for.
  func accept(
    _ typed: Secret, for attempt: PasswordAttempt, _ scope: WriteScope = .rows, asking request: StepRequest?,
    _ body: (any Transaction, AccountRow) throws(BackendError) -> Grant
  ) throws(BackendError) -> Grant {
    let verdict: Result<Grant, BackendError>?
    do throws(BackendError) {
      verdict = try verify(try? NormalizedPassword(typed), for: attempt, scope, asking: request, body)
    } catch {
      // Nothing could be checked. If the refund fails too, for the same reason, the attempt stays
      // counted.
      try? database.write(.rows) { (db) throws(BackendError) in try db.refund(attempt) }
      throw error
    }
    if let verdict { return try verdict.get() }
    let isLogin = request.map { $0.session == nil } ?? false
    try database.write(.rows) { (db) throws(BackendError) in
      try db.fail(attempt)
      try db.record(
        isLogin ? .loginFailed : .reauthenticationFailed, account: attempt.account?.id,
        actor: isLogin ? nil : attempt.account?.id)
    }
    throw .credentialsNotAccepted(after: attempt.guess)
  }

  /// What came of a right password: a grant, or the challenge of a second step; nil for a wrong
  /// one.
  private func verify(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt, _ scope: WriteScope, asking request: StepRequest?,
    _ body: (any Transaction, AccountRow) throws(BackendError) -> Grant
  ) throws(BackendError) -> Result<Grant, BackendError>? {
    var known = attempt.account
    while true {
      // Without an account it costs the same, and no password is right.
      let isRight = try hasher.verifies(password, against: known?.passwordHash ?? hasher.unmatchable)
      guard isRight, let password, let account = known, !account.isDisabled else { return nil }
      let newHash = hasher.isOutdated(account.passwordHash) ? try hasher.hash(password) : nil
      let (verdict, current) = try database.write(scope) {
        (db) throws(BackendError) -> (Result<Grant, BackendError>?, AccountRow) in
        if let session = request?.session { try db.lock(.session(session)) }
        try db.lock(.account(account.id))
        let current = try db.account(account.id)
        guard current.passwordHash == account.passwordHash, !current.isDisabled else { return (nil, current) }
        if current.hasSecondStep {
          // The right password alone must not reset the counter, or codes could be guessed without
          // limit.
          try db.refund(attempt)
          if let request { return (.failure(.challenged(try db.challenge(current, newHash, request))), current) }
        } else {
          try db.store(ThrottleRecord(), account: account.id)
        }
        let grant = try body(db, current)
        try db.rehash(newHash, of: current, in: grant.id)
        return (.success(grant), current)
      }
      if let verdict { return verdict }
      known = current
    }
  }
}

extension Transaction {
  /// Stores a hash of higher cost after a complete login, and logs the event.
  ///
  /// It does not replace a password that the same transaction changed.
  func rehash(_ newHash: String?, of account: AccountRow, in session: SessionID) throws(BackendError) {
    if let newHash, try changes(of: AccountQuery.rehash, newHash, account.id, account.passwordHash) > 0 {
      try record(.passwordRehashed, account: account.id, actor: account.id, session: session)
    }
  }

  /// Opens a challenge: the login or reauthentication needs a code.
  fileprivate func challenge(
    _ account: AccountRow, _ newHash: String?, _ request: StepRequest
  ) throws(BackendError) -> Challenge {
    let now = try now()
    let session = try request.session.map { (hash) throws(BackendError) in try activeSession(hash).id }
    try record(.twoStepAsked, account: account.id, actor: session == nil ? nil : account.id, session: session)
    try run(ChallengeQuery.evict, account.id, now.boot, now.uptime, TwoStepRules.openChallenges - 1)
    let token = SessionToken(bytes: try Secrets.random(count: 32))
    try run(
      ChallengeQuery.open, token.digest, account.id, account.passwordHash, newHash, request.session,
      request.limits.idle, request.limits.absolute, TwoStepRules.tries, now.boot, now.uptime + TwoStepRules.time)
    let open: OpenChallenge = try one(ChallengeQuery.find, token.digest, else: "a new challenge is not there")
    return open.challenge(token)
  }
}
