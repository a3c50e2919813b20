package import AuthAccounts
package import AuthCore
import TextFormat

extension Rules {
  package func makeRecoveryCodes(token: SessionToken) throws(BackendError) -> [RecoveryCode] {
    try writing(token, Operations.makeRecoveryCodes.needs) { (db, own) throws(BackendError) in
      try db.lock(.account(own.account))
      try db.run(CodeQuery.voidRecoveryCodes, own.account)
      let codes = try (0..<RecoveryPolicy.codes).map { (_) throws(BackendError) in
        let code = try RecoveryCode.draw()
        try db.run(CodeQuery.insert, own.account, code.digest, nil, nil, nil)
        return code
      }
      try db.record(.recoveryCodesMade, by: own)
      return codes
    }
  }

  /// Sets a new password with a code.
  ///
  /// The new password is hashed before anything is looked up, so every answer costs a hash. The
  /// code is checked, used up or counted as wrong in one transaction, so of two processes with one
  /// code exactly one succeeds. 125 random bits need no throttle, so a right code never waits.
  package func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User {
    let name = try Username(username)
    let new = try PasswordPolicy.accept(password, for: name)
    let hash = try hasher.hash(new)
    while true {
      // Compared outside of any transaction, because it takes a hash, and for a right code only.
      let present = try database.read { (db) throws(BackendError) in
        try db.redeemable(code, of: try db.account(named: name))?.account.passwordHash
      }
      let isUnchanged = if let present { try hasher.verifies(new, against: present) } else { false }
      let recovered = try database.write(.everything) { (db) throws(BackendError) -> Result<User?, BackendError> in
        let account = try db.account(named: name)
        guard let (account, found) = try db.redeemable(code, of: account) else {
          return .failure(try db.countWrongCode(on: account, name))
        }
        guard account.passwordHash == present else { return .success(nil) }
        // Only a code that still works may say so: of many guesses at once one is heard.
        if isUnchanged { return .failure(.invalid(.passwordUnchanged)) }
        try db.run(CodeQuery.use, account.id, code.digest)
        try db.run(CodeQuery.voidOneTimeCodes, account.id)
        try db.run(AccountQuery.setPassword, hash, account.id)
        try db.store(ThrottleRecord(), account: account.id)
        try db.endAll(of: account.id, because: .revoked, by: account.id)
        let left = try db.recoveryCodes(of: account.id)
        try db.record(
          .recovered, account: account.id, actor: account.id,
          detail: found.isRecoveryCode ? "recovery code, \(left) left" : "one-time code")
        return .success(account.user)
      }.get()
      // Nil when the password was changed in between.
      if let recovered { return recovered }
    }
  }

  package func resetPassword(of name: Username, token: SessionToken) throws(BackendError) -> OneTimeCode {
    try writing(token, Operations.resetPassword.needs, .everything) { (db, own) throws(BackendError) in
      try db.issueOneTimeCode(for: try db.existing(name), validFor: RecoveryPolicy.reset, by: own, "reset")
    }
  }

  /// Makes a one-time code without a session, for the owner of an embedded database.
  func resetPasswordOfOwner(_ name: Username) throws(BackendError) -> OneTimeCode {
    if isShared { throw .refused(.notDatabaseOwner, name.canonical) }
    return try resetPasswordAsOwner(of: name)
  }

  /// Makes a one-time code without a session.
  ///
  /// A process that can open the database file is its owner's, because a file of another user is
  /// refused.
  package func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    try database.write(.everything) { (db) throws(BackendError) in
      try db.issueOneTimeCode(
        for: try db.existing(name), validFor: RecoveryPolicy.reset, by: nil,
        isShared ? "reset by an operator of the service" : "reset by the owner of the database")
    }
  }
}

extension RecoveryCode {
  fileprivate static func draw() throws(BackendError) -> RecoveryCode {
    RecoveryCode(typed: Array(try Secrets.randomName(length: length).utf8))
  }

  /// The hash that the database stores in place of the code.
  var digest: [UInt8] { SHA256.hash(canonical) }
}

extension Transaction {
  /// The account and the code, if the code may set its password now.
  ///
  /// The same is read whatever is wrong.
  fileprivate func redeemable(
    _ code: RecoveryCode, of account: AccountRow?
  ) throws(BackendError) -> (account: AccountRow, code: CodeRow)? {
    let found: CodeRow? = try first(CodeQuery.find, account?.id ?? 0, code.digest)
    guard let account, let found, found.isValid(at: try now(), wall: wallTime), !account.isDisabled else { return nil }
    return (account, found)
  }

  /// Counts a code that opened nothing, as the throttle counts passwords.
  ///
  /// - Returns: What to refuse it with.
  fileprivate func countWrongCode(on account: AccountRow?, _ name: Username) throws(BackendError) -> BackendError {
    let attempt = try countAttempt(on: account, named: name)
    if let throttle = attempt.decision.denial { return .throttled(throttle) }
    try fail(attempt)
    try record(.recoveryFailed, account: account?.id)
    return .credentialsNotAccepted
  }

  /// How many recovery codes of an account are left.
  func recoveryCodes(of account: Int64) throws(BackendError) -> Int { try first(CodeQuery.count, account) ?? 0 }

  /// Makes a code that takes the place of an earlier one of its kind.
  func issueOneTimeCode(
    for account: AccountRow, validFor: Duration, by own: SessionRow?, _ detail: String
  ) throws(BackendError) -> OneTimeCode {
    let (now, code) = (try now(), try RecoveryCode.draw())
    try run(CodeQuery.voidOneTimeCodes, account.id)
    try run(CodeQuery.insert, account.id, code.digest, wallTime + validFor, now.boot, now.uptime + validFor)
    try record(.oneTimeCodeMade, account: account.id, actor: own?.account, session: own?.id, detail: detail)
    return OneTimeCode(user: account.user, code: code, validFor: validFor)
  }
}

/// A recovery code or a one-time code as it is stored.
///
/// A one-time code expires by the boot clock, which nobody can set back, until the machine is
/// restarted, and by the wall clock after that. A code that would last longer than any code does
/// was made by a clock that was ahead, and is refused.
struct CodeRow: RowDecodable {
  private let expiresAt: WallTime?
  private let end: BootInstant?

  init(_ row: Row) throws(BackendError) { (expiresAt, end) = (try row[0], try row[1]) }

  /// Whether it is one of the ten that do not expire.
  var isRecoveryCode: Bool { expiresAt == nil }

  func isValid(at now: BootInstant, wall: WallTime) -> Bool {
    guard let expiresAt else { return true }
    guard let end, end.boot == now.boot else { return wall < expiresAt }
    return now.uptime < end.uptime
      && end.uptime - now.uptime <= RecoveryPolicy.registration + SessionPolicy.clockTolerance
  }
}

package enum CodeQuery: String, Query {
  case find = "SELECT expires_at, boot, boot_until FROM codes WHERE account = $1 AND code_hash = $2"
  case count = "SELECT count(*) FROM codes WHERE account = $1 AND expires_at IS NULL"
  case insert = "INSERT INTO codes(account, code_hash, expires_at, boot, boot_until) VALUES ($1, $2, $3, $4, $5)"
  case use = "DELETE FROM codes WHERE account = $1 AND code_hash = $2"
  case voidRecoveryCodes = "DELETE FROM codes WHERE account = $1 AND expires_at IS NULL"
  case voidOneTimeCodes = "DELETE FROM codes WHERE account = $1 AND expires_at IS NOT NULL"
}

/// How many codes there are, and how long they work.
package enum RecoveryPolicy {
  /// How many recovery codes a user gets at a time.
  package static let codes = 10
  /// How long a code works that an administrator made for a forgotten password.
  package static let reset: Duration = .seconds(3600)
  /// How long the first code of an account works that an administrator registered.
  package static let registration: Duration = .seconds(3 * 24 * 3600)
}
