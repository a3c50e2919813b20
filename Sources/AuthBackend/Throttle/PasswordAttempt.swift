import AuthCore
import Glibc

/// A password attempt that is counted, and the decision about it.
struct PasswordAttempt: Sendable {
  let target: Target
  /// How many attempts there are now in a row, with this one.
  let guess: Int64
  let decision: ThrottleRecord.Decision

  /// What an attempt is counted on.
  enum Target: Sendable {
    case account(AccountRow)
    /// A name without an account, as a hash with the key of the database.
    case unknown([UInt8])
  }

  /// Nil for a name that has no account.
  var account: AccountRow? {
    if case .account(let account) = target { account } else { nil }
  }
}

extension Rules {
  /// Counts an attempt, and returns it when its password may be checked.
  ///
  /// Attempts that are being checked already count as failures. An attempt that would be denied
  /// because of these waits until they are decided. So of many logins at once with the right
  /// password each is checked, and at most five wrong guesses are hashed.
  ///
  /// - Parameter count: Counts it, in a transaction of its own, and continues there if it may be
  ///   checked.
  /// - Returns: What `count` returns for an attempt that may be checked.
  /// - Throws: ``BackendError`` of kind `throttled` when it is denied, and what `count` throws.
  func allowedAttempt<Result>(
    _ count: () throws(BackendError) -> (PasswordAttempt, Result?)
  ) throws(BackendError) -> Result {
    let deadline = ContinuousClock.now + database.patience
    while true {
      let (attempt, result) = try count()
      var decision = attempt.decision
      var round = 0
      while case .retry(let throttle) = decision {
        guard ContinuousClock.now < deadline else { throw .throttled(throttle) }
        // About as long as a check takes, with a random part so that waiting attempts do not retry
        // in step.
        var pause = timespec(tv_sec: 0, tv_nsec: .random(in: 2_000_000...min(8_000_000 << round, 60_000_000)))
        nanosleep(&pause, nil)
        round = min(round + 1, 3)
        decision = try decisionNow(on: attempt)
      }
      switch decision {
      case .deny(let throttle), .retry(let throttle): throw .throttled(throttle)
      case .allow: if attempt.decision == .allow, let result { return result }
      }
    }
  }

  /// The same for a password, which is checked outside of the transaction.
  func allowedAttempt(
    _ count: () throws(BackendError) -> PasswordAttempt
  ) throws(BackendError) -> PasswordAttempt {
    try allowedAttempt { () throws(BackendError) -> (PasswordAttempt, PasswordAttempt?) in
      let attempt = try count()
      return (attempt, attempt)
    }
  }

  /// Writes down that an attempt was wrong.
  func fail(_ attempt: PasswordAttempt, in db: any Transaction) throws(BackendError) {
    let account: AccountRow
    switch attempt.target {
    case .account(let known): account = known
    case .unknown(let hash):
      try db.run(UnknownNameQuery.addFailure, .blob(hash))
      return
    }
    // No row changes when another login succeeded in between.
    guard try db.changes(of: AccountQuery.addFailure, .integer(account.id)) > 0 else { return }
    let event: EventName
    switch attempt.guess {
    case ThrottlePolicy.free: event = .loginFailuresThrottled
    case ThrottlePolicy.lockedAt: event = .loginLocked
    default: return
    }
    try record(event, account: account.id, detail: "\(attempt.guess) failures", in: db)
  }

  /// Takes an attempt out of the count again, because its password could not be checked.
  ///
  /// The attempt was allowed, so no wait was running before it. A wait that it began ends too.
  func refundAttempt(_ attempt: PasswordAttempt, in db: any Transaction) throws(BackendError) {
    switch attempt.target {
    case .account(let account): try db.run(AccountQuery.refundAttempt, .integer(account.id))
    case .unknown(let hash): try db.run(UnknownNameQuery.refundAttempt, .blob(hash))
    }
  }

  /// Counts an attempt on an account, in one transaction with whatever `db` is in.
  func countAttempt(on account: AccountRow, at now: BootInstant, in db: any Transaction) throws(BackendError)
    -> PasswordAttempt
  {
    var record = account.throttle
    let decision = record.count(at: now, mayLock: try mayLock(account, in: db))
    try store(record, account: account.id, in: db)
    return PasswordAttempt(target: .account(account), guess: record.guesses, decision: decision)
  }

  /// Counts an attempt on a name without an account, at the same cost; nil is what is no name.
  func countAttempt(onUnknown name: Username?, at now: BootInstant, in db: any Transaction) throws(BackendError)
    -> PasswordAttempt
  {
    let bytes = UnknownName.hash(of: name, key: try nameKey(in: db))
    let hash = SQLValue.blob(bytes)
    let found = try throttle(ofUnknown: bytes, in: db)
    var record = found ?? ThrottleRecord()
    let decision = record.count(at: now, mayLock: true)
    let counts: (SQLValue, SQLValue) = (.integer(record.guesses), .integer(record.attempts))
    if found == nil {
      try db.run(UnknownNameQuery.insert, hash, counts.0, counts.1, record.waitBootValue, record.waitUntilValue)
      try db.run(UnknownNameQuery.evict, .integer(UnknownName.limit))
    } else {
      try db.run(UnknownNameQuery.update, counts.0, counts.1, record.waitBootValue, record.waitUntilValue, hash)
    }
    return PasswordAttempt(target: .unknown(bytes), guess: record.guesses, decision: decision)
  }

  /// What would be done with an attempt now, reading only.
  private func decisionNow(on attempt: PasswordAttempt) throws(BackendError) -> ThrottleRecord.Decision {
    try database.read { (db) throws(BackendError) in
      let now = try db.now()
      switch attempt.target {
      case .account(let account):
        let current = try self.account(account.id, in: db)
        return current.throttle.decision(at: now, mayLock: try mayLock(current, in: db))
      case .unknown(let hash):
        let record = try throttle(ofUnknown: hash, in: db) ?? ThrottleRecord()
        return record.decision(at: now, mayLock: true)
      }
    }
  }

  private func throttle(ofUnknown hash: [UInt8], in db: any Transaction) throws(BackendError) -> ThrottleRecord? {
    try db.first(UnknownNameQuery.find, .blob(hash)) { ThrottleRecord($0, from: 0) }
  }

  /// Forgets the attempts on a name that has an account now.
  func forgetAttempts(on name: Username, in db: any Transaction) throws(BackendError) {
    try db.run(UnknownNameQuery.forget, .blob(UnknownName.hash(of: name, key: try nameKey(in: db))))
  }

  private func nameKey(in db: any Transaction) throws(BackendError) -> [UInt8] {
    guard let key = try db.first(UnknownNameQuery.key, read: { $0.blob(0) }), !key.isEmpty else {
      throw db.damaged("the key for names without an account is missing")
    }
    return key
  }

  func store(_ record: ThrottleRecord, account: Int64, in db: any Transaction) throws(BackendError) {
    try db.run(
      AccountQuery.setThrottle, .integer(record.guesses), .integer(record.attempts), record.waitBootValue,
      record.waitUntilValue, .integer(record.failures), .integer(account))
  }

  /// Every account may be locked except that of the last administrator who could unlock others.
  func mayLock(_ account: AccountRow, in db: any Transaction) throws(BackendError) -> Bool {
    if account.throttle.guesses < ThrottlePolicy.lockedAt || account.user.role != .administrator { return true }
    return try db.first(
      AccountQuery.otherAdministrator, .integer(account.id), .integer(ThrottlePolicy.lockedAt)
    ) { _ in true } ?? false
  }
}
