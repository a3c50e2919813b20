import AuthAccounts
import AuthCore
import Glibc
// Swift 6.3 takes the fields of `timespec` for its, depending on the order of the files.
import SwiftOverlayShims

/// A password attempt that is counted, and the decision about it.
struct PasswordAttempt: Sendable {
  /// The account that it is counted on; nil for a name without one.
  let account: AccountRow?
  /// The counter of a name without an account: a hash with the key of the database.
  let nameHash: [UInt8]?
  /// The number of consecutive attempts, including this one.
  let guess: Int64
  let decision: ThrottleRecord.Decision

  /// The event of this many failures, if there is one.
  fileprivate var milestone: EventName? {
    switch guess {
    case ThrottlePolicy.free: .loginFailuresThrottled
    case ThrottlePolicy.lockedAt: .loginLocked
    case _: nil
    }
  }
}

extension Rules {
  /// Counts an attempt, and continues when it may be checked.
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
    let start = ContinuousClock.now
    let deadline = start + ThrottlePolicy.longestTurn
    while true {
      let (attempt, result) = try count()
      var decision = attempt.decision
      var round = 0
      while case .retry(let throttle) = decision {
        guard ContinuousClock.now < deadline else { throw .throttled(throttle) }
        // About as long as a check takes, with a random part so that waiting attempts do not retry
        // in step.
        usleep(.random(in: 2_000...min(8_000 << round, 60_000)))
        round = min(round + 1, 3)
        decision = try database.read { (db) throws(BackendError) in try db.decision(on: attempt) }
      }
      if let throttle = decision.denial {
        // An account and an invented name are counted in different tables, and the difference in
        // time would tell which names exist.
        let left = start + ThrottlePolicy.denialTime - ContinuousClock.now
        if isShared, left > .zero { usleep(UInt32(clamping: left.wholeNanoseconds / 1000)) }
        throw .throttled(throttle)
      }
      if attempt.decision == .allow, let result { return result }
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
}

extension Transaction {
  /// Counts an attempt on an account; without one, on a name, at the same cost.
  ///
  /// Nil counts on one entry, shared by everything typed that is not a valid user name.
  func countAttempt(on account: AccountRow?, named name: Username? = nil) throws(BackendError) -> PasswordAttempt {
    if let account {
      var record = account.throttle
      let decision = record.count(at: try now(), mayLock: try mayLock(account))
      try store(record, account: account.id)
      return PasswordAttempt(account: account, nameHash: nil, guess: record.guesses, decision: decision)
    }
    let hash = UnknownName.hash(of: name, key: try nameKey())
    let found: ThrottleRecord? = try first(UnknownNameQuery.find, hash)
    var record = found ?? ThrottleRecord()
    let decision = record.count(at: try now(), mayLock: true)
    let (boot, until) = (record.wait?.boot, record.wait?.uptime)
    if found == nil {
      try run(UnknownNameQuery.insert, hash, record.guesses, record.attempts, boot, until)
      try run(UnknownNameQuery.evict, UnknownName.limit)
    } else {
      try run(UnknownNameQuery.update, record.guesses, record.attempts, boot, until, hash)
    }
    return PasswordAttempt(account: nil, nameHash: hash, guess: record.guesses, decision: decision)
  }

  /// Counts a wrong attempt as a failure.
  func fail(_ attempt: PasswordAttempt) throws(BackendError) {
    guard let account = attempt.account else { return try run(UnknownNameQuery.addFailure, attempt.nameHash) }
    // No row changes when another login succeeded in between.
    guard try changes(of: AccountQuery.addFailure, account.id) > 0, let event = attempt.milestone else { return }
    try record(event, account: account.id, detail: "\(attempt.guess) failures")
  }

  /// Takes an attempt out of the count again, because its password could not be checked.
  ///
  /// The attempt was allowed, so no wait was running before it. A wait that it began ends too.
  func refund(_ attempt: PasswordAttempt) throws(BackendError) {
    guard let account = attempt.account else { return try run(UnknownNameQuery.refundAttempt, attempt.nameHash) }
    try run(AccountQuery.refundAttempt, account.id)
  }

  /// The decision about an attempt now, without counting it.
  fileprivate func decision(on attempt: PasswordAttempt) throws(BackendError) -> ThrottleRecord.Decision {
    guard let account = attempt.account else {
      let record: ThrottleRecord? = try first(UnknownNameQuery.find, attempt.nameHash)
      return (record ?? ThrottleRecord()).decision(at: try now(), mayLock: true)
    }
    let current = try self.account(account.id)
    return current.throttle.decision(at: try now(), mayLock: try mayLock(current))
  }

  /// Forgets the attempts on a name that has an account now.
  func forgetAttempts(on name: Username) throws(BackendError) {
    try run(UnknownNameQuery.forget, UnknownName.hash(of: name, key: try nameKey()))
  }

  private func nameKey() throws(BackendError) -> [UInt8] {
    guard let key: [UInt8] = try first(UnknownNameQuery.key), !key.isEmpty else {
      throw damaged("the key for names without an account is missing")
    }
    return key
  }

  func store(_ record: ThrottleRecord, account: Int64) throws(BackendError) {
    try run(
      AccountQuery.setThrottle, record.guesses, record.attempts, record.wait?.boot, record.wait?.uptime,
      record.failures, account)
  }

  /// Every account may be locked except that of the last administrator who could unlock others.
  func mayLock(_ account: AccountRow) throws(BackendError) -> Bool {
    if account.throttle.guesses < ThrottlePolicy.lockedAt || account.user.role != .administrator { return true }
    return try has(AccountQuery.otherAdministrator, account.id, ThrottlePolicy.lockedAt)
  }
}

package enum UnknownNameQuery: String, Query {
  /// 16 random bytes, which were drawn for hashes of sessions in events and have no other use now.
  case key = "SELECT event_salt FROM authority WHERE id = 1"
  case find = "SELECT guesses, attempts, wait_boot, wait_until, failures FROM unknown_names WHERE name_hash = $1"
  case insert = """
    INSERT INTO unknown_names(name_hash, guesses, attempts, wait_boot, wait_until) VALUES ($1, $2, $3, $4, $5)
    """
  case update = """
    UPDATE unknown_names SET guesses = $1, attempts = $2, wait_boot = $3, wait_until = $4 WHERE name_hash = $5
    """
  case refundAttempt = """
    UPDATE unknown_names SET guesses = guesses - 1, attempts = attempts - 1, wait_boot = NULL, wait_until = NULL
    WHERE name_hash = $1 AND failures < guesses
    """
  case addFailure = "UPDATE unknown_names SET failures = failures + 1 WHERE name_hash = $1 AND failures < guesses"
  case forget = "DELETE FROM unknown_names WHERE name_hash = $1"
  case evict = "DELETE FROM unknown_names WHERE id <= (SELECT max(id) FROM unknown_names) - $1"
}
