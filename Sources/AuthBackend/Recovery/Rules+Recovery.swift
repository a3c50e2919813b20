package import AuthCore
import AuthDevice
import TextFormat

extension Rules {
  /// Makes ten recovery codes in place of the old ones.
  package func makeRecoveryCodes(token: SessionToken) throws(BackendError) -> [RecoveryCode] {
    try writing(token) { (db, own, now) throws(BackendError) in
      try db.lock(.account(own.account))
      try requireFresh(own, at: now)
      try db.run(CodeQuery.voidRecoveryCodes, .integer(own.account))
      var codes: [RecoveryCode] = []
      for _ in 0..<RecoveryPolicy.codes {
        let code = try draw()
        try db.run(CodeQuery.insert, .integer(own.account), Self.hash(code), .null, .null, .null)
        codes.append(code)
      }
      try record(.recoveryCodesMade, by: own, in: db)
      return codes
    }
  }

  /// Sets a new password with a code.
  ///
  /// The new password is hashed before anything is looked up, so every answer costs a hash. The
  /// code is checked, used up or counted as wrong in one transaction, so of two processes with one
  /// code exactly one is let in. 125 random bits need no throttle, so a right code is not kept
  /// waiting.
  package func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User {
    let name = try Username(username)
    let new = try PasswordPolicy.accept(password, for: name)
    let hash = try hasher.hash(new)
    while true {
      // Compared outside of any transaction, because it takes a hash, and for a right code only.
      let present = try database.read { (db) throws(BackendError) in
        try redeemable(code, of: try account(named: name, in: db), at: try db.now(), in: db)?.account.passwordHash
      }
      let isUnchanged = if let present { try hasher.verifies(new, against: present) } else { false }
      let recovered = try database.write(.everything) { (db) throws(BackendError) -> Result<User?, BackendError> in
        let now = try db.now()
        let account = try account(named: name, in: db)
        guard let (account, found) = try redeemable(code, of: account, at: now, in: db) else {
          return .failure(try countWrongCode(on: account, name, at: now, in: db))
        }
        guard account.passwordHash == present else { return .success(nil) }
        // Only a code that still works may say so: of many guesses at once one is heard.
        if isUnchanged { return .failure(.invalid(.passwordUnchanged)) }
        try db.run(CodeQuery.use, .integer(account.id), Self.hash(code))
        try db.run(CodeQuery.voidOneTimeCodes, .integer(account.id))
        try db.run(AccountQuery.setPassword, .text(hash), .integer(account.id))
        try store(ThrottleRecord(), account: account.id, in: db)
        _ = try endAll(of: account.id, except: nil, because: .revoked, by: account.id, at: now, in: db)
        let left = try db.first(CodeQuery.count, .integer(account.id)) { $0.integer(0) } ?? 0
        try record(
          .recovered, account: account.id, actor: account.id,
          detail: found.isRecoveryCode ? "recovery code, \(left) left" : "one-time code", in: db)
        return .success(account.user)
      }.get()
      // Nil when the password was changed in between.
      if let recovered { return recovered }
    }
  }

  /// The account and the code, if the code may set its password now.
  ///
  /// The same is read whatever is wrong.
  private func redeemable(
    _ code: RecoveryCode, of account: AccountRow?, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> (account: AccountRow, code: CodeRow)? {
    let found = try db.first(CodeQuery.find, .integer(account?.id ?? 0), Self.hash(code)) { CodeRow($0) }
    guard let account, let found, found.isValid(at: now, wall: db.wallTime), !account.isDisabled else { return nil }
    return (account, found)
  }

  /// Counts a code that opened nothing, as the throttle counts passwords.
  ///
  /// - Returns: What to refuse it with.
  private func countWrongCode(
    on account: AccountRow?, _ name: Username, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> BackendError {
    let attempt =
      if let account { try countAttempt(on: account, at: now, in: db) } else {
        try countAttempt(onUnknown: name, at: now, in: db)
      }
    switch attempt.decision {
    case .allow:
      try fail(attempt, in: db)
      try record(.recoveryFailed, account: account?.id, in: db)
      return .credentialsNotAccepted
    case .deny(let throttle), .retry(let throttle): return .throttled(throttle)
    }
  }

  /// Makes a one-time code for another user's forgotten password.
  package func resetPassword(of name: Username, token: SessionToken) throws(BackendError) -> OneTimeCode {
    try administeringFreshly(token, "accounts") { (db, own, now) throws(BackendError) in
      try issueOneTimeCode(
        for: try existing(name, in: db), validFor: RecoveryPolicy.reset, by: own, "reset", at: now, in: db)
    }
  }

  /// Does the same without a session: whoever can open the database file is its owner, because a
  /// file of another user is refused.
  package func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    try database.write(.everything) { (db) throws(BackendError) in
      try issueOneTimeCode(
        for: try existing(name, in: db), validFor: RecoveryPolicy.reset, by: nil,
        isShared ? "reset by an operator of the service" : "reset by the owner of the database", at: try db.now(),
        in: db)
    }
  }

  /// Makes a code that takes the place of an earlier one of its kind.
  func issueOneTimeCode(
    for account: AccountRow, validFor: Duration, by own: SessionRow?, _ detail: String, at now: BootInstant,
    in db: any Transaction
  ) throws(BackendError) -> OneTimeCode {
    let code = try draw()
    let nanoseconds = validFor.wholeNanoseconds
    try db.run(CodeQuery.voidOneTimeCodes, .integer(account.id))
    try db.run(
      CodeQuery.insert, .integer(account.id), Self.hash(code),
      .integer(db.wallTime.microseconds.clampedSum(nanoseconds / 1000)), .blob(now.boot.bytes),
      .integer(now.uptime.wholeNanoseconds.clampedSum(nanoseconds)))
    try record(.oneTimeCodeMade, account: account.id, actor: own?.account, session: own?.id, detail: detail, in: db)
    return OneTimeCode(user: account.user, code: code, validFor: validFor)
  }

  private func draw() throws(BackendError) -> RecoveryCode {
    RecoveryCode(drawn: try Secrets.randomName(length: RecoveryCode.length))
  }

  private static func hash(_ code: RecoveryCode) -> SQLValue { .blob(SHA256.hash(code.canonical)) }
}
