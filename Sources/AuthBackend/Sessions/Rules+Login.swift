import AuthCore
import AuthDevice
import TextFormat

extension Rules {
  /// Checks credentials and begins a session: count, hash, then commit.
  func logIn(
    _ credentials: Credentials, limits: LimitRequest, for new: NewSession
  ) throws(BackendError) -> Grant {
    let password = try? NormalizedPassword(credentials.password)
    let name = try? Username(credentials.username)
    let attempt = try allowedAttempt { () throws(BackendError) in
      try database.write(.rows) { (db) throws(BackendError) in
        if let name { try db.lock(.accountNamed(name.canonical)) }
        let now = try db.now()
        guard let name, let account = try account(named: name, in: db) else {
          try db.lock(.unknownNames)
          return try countAttempt(onUnknown: name, at: now, in: db)
        }
        return try countAttempt(on: account, at: now, in: db)
      }
    }
    return try accept(password, for: attempt, asking: StepRequest(session: nil, limits: limits)) {
      (db, account, now) throws(BackendError) in try logIn(account, limits, for: new, at: now, in: db)
    }
  }

  /// Checks the password of a live session's user, and issues a token with new limits.
  func reauthenticate(
    _ token: SessionToken, password typed: Secret, requesting limits: LimitRequest, as newToken: SessionToken
  ) throws(BackendError) -> Grant {
    let attempt = try allowedAttempt(under: token, beforeTwoStep: true)
    let hash = SHA256.hash(token.bytes)
    let request = StepRequest(session: hash, limits: limits)
    return try accept(try? NormalizedPassword(typed), for: attempt, asking: request) {
      (db, account, now) throws(BackendError) in
      try refresh(try claim(hash: hash, at: now, in: db), of: account, limits, newToken, at: now, in: db)
    }
  }

  /// Counts an attempt on the account of a session, and returns it when its password may be
  /// checked.
  func allowedAttempt(under token: SessionToken, beforeTwoStep: Bool = false) throws(BackendError) -> PasswordAttempt {
    try allowedAttempt { () throws(BackendError) in
      try writing(token, asActivity: false, beforeTwoStep: beforeTwoStep) { (db, session, now) throws(BackendError) in
        try db.lock(.account(session.account))
        return try countAttempt(on: try account(session.account, in: db), at: now, in: db)
      }
    }
  }

  /// Begins a session and writes down that it did.
  func logIn(
    _ account: AccountRow, _ limits: LimitRequest, for new: NewSession, with code: UsedCode = .code,
    at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> Grant {
    // A login whose answer was lost is repeated under the same token, and is the same session.
    if case .live(let session) = try find(hash: SHA256.hash(new.token.bytes), at: now, in: db),
      session.account == account.id
    {
      return session.grant(token: new.token)
    }
    let grant = try begin(new, account: account, limits: limits, at: now, in: db)
    try db.run(AccountQuery.noteLogin, .integer(db.wallTime.microseconds), .integer(account.id))
    let failures = account.throttle.failures
    let details = [failures > 0 ? "\(failures) failure\(failures == 1 ? "" : "s")" : nil, code.words]
    try record(
      failures > 0 ? .loginSucceededAfterFailures : .loginSucceeded, account: account.id, actor: account.id,
      session: grant.id, detail: Self.detail(details), in: db)
    return grant
  }

  /// Issues a token with new limits for a session, and writes down that it did.
  func refresh(
    _ session: SessionRow, of account: AccountRow, _ limits: LimitRequest, _ newToken: SessionToken,
    with code: UsedCode = .code, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> Grant {
    let grant = try issue(newToken, for: session, limits: limits, at: now, in: db)
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
  ///   - scope: What `body` decides about.
  ///   - request: What a code would go on with, where one may be asked for; nil where it was given
  ///     already.
  ///   - body: Runs in the transaction.
  /// - Returns: What `body` returns.
  /// - Throws: ``BackendError`` of kind `credentials` when the password is wrong, and when the
  ///   account is missing or disabled, which costs the same; of kind `challenged` when it is right
  ///   and a code is asked for.
  func accept(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt, _ scope: WriteScope = .rows,
    asking request: StepRequest?,
    _ body: (any Transaction, AccountRow, BootInstant) throws(BackendError) -> Grant
  ) throws(BackendError) -> Grant {
    let verdict = try refunding(attempt) { () throws(BackendError) in
      try verify(password, for: attempt, scope, asking: request, body)
    }
    switch verdict {
    case .granted(let grant): return grant
    case .wrong:
      let isLogin = request.map { $0.session == nil } ?? false
      try database.write(.rows) { (db) throws(BackendError) in
        try fail(attempt, in: db)
        try record(
          isLogin ? .loginFailed : .reauthenticationFailed, account: attempt.account?.id,
          actor: isLogin ? nil : attempt.account?.id, in: db)
      }
      throw .credentialsNotAccepted
    case .challenged(let challenge): throw .challenged(challenge)
    }
  }

  private func verify(
    _ password: NormalizedPassword?, for attempt: PasswordAttempt, _ scope: WriteScope, asking request: StepRequest?,
    _ body: (any Transaction, AccountRow, BootInstant) throws(BackendError) -> Grant
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
      let (verdict, current) = try database.write(scope) {
        (db) throws(BackendError) -> (PasswordVerdict?, AccountRow) in
        if let session = request?.session { try db.lock(.session(session)) }
        try db.lock(.account(account.id))
        let current = try self.account(account.id, in: db)
        guard current.passwordHash == account.passwordHash, !current.isDisabled else { return (nil, current) }
        let now = try db.now()
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
  func take(_ newHash: String?, of account: AccountRow, in session: SessionID, in db: any Transaction)
    throws(BackendError)
  {
    guard let newHash else { return }
    let changes = try db.changes(
      of: AccountQuery.rehash, .text(newHash), .integer(account.id), .text(account.passwordHash))
    if changes > 0 {
      try record(.passwordRehashed, account: account.id, actor: account.id, session: session, in: db)
    }
  }

  /// Asks for a code, unless the password was changed with one a moment ago.
  private func challenge(
    _ account: AccountRow, _ newHash: String?, _ request: StepRequest, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> Challenge? {
    let session = try request.session.map { (hash) throws(BackendError) in
      try claim(hash: hash, at: now, in: db).id
    }
    let uptime = now.uptime.wholeNanoseconds
    if let session, try db.changes(of: ChallengeQuery.takeExcuse, .text(session.rawValue), .integer(uptime)) > 0 {
      return nil
    }
    try record(.twoStepAsked, account: account.id, actor: session.map { _ in account.id }, session: session, in: db)
    try db.run(
      ChallengeQuery.evict, .integer(account.id), .blob(now.boot.bytes), .integer(uptime),
      .integer(TwoStepRules.openChallenges - 1))
    let token = SessionToken(bytes: try Secrets.random(count: 32))
    let hash = SHA256.hash(token.bytes)
    func span(_ wish: Duration?) -> SQLValue { wish.map { .integer($0.wholeNanoseconds) } ?? .null }
    try db.run(
      ChallengeQuery.open, .blob(hash), .integer(account.id), .text(account.passwordHash), .text(newHash),
      .blob(request.session),
      span(request.limits.idle), span(request.limits.absolute), .integer(TwoStepRules.tries), .blob(now.boot.bytes),
      .integer(uptime.clampedSum(TwoStepRules.time.wholeNanoseconds)))
    return try db.first(ChallengeQuery.find, .blob(hash)) { OpenChallenge($0) }?.challenge(token)
  }

  func account(named name: Username, in db: any Transaction) throws(BackendError) -> AccountRow? {
    try db.first(AccountQuery.byName, .text(name.canonical)) { (row) throws(BackendError) in
      try AccountRow(row, in: db)
    }
  }

  func account(_ id: Int64, in db: any Transaction) throws(BackendError) -> AccountRow {
    let row = try db.first(AccountQuery.byID, .integer(id)) { (row) throws(BackendError) in try AccountRow(row, in: db)
    }
    guard let row else { throw db.damaged("account \(id) is gone") }
    return row
  }
}
