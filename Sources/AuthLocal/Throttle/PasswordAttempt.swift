import AuthCore

extension LocalAuthority {
  /// Counts an attempt on an account and says whether to look at it, in one transaction with whatever `db` is in.
  func countAttempt(on account: AccountRow, at now: BootInstant, in db: Connection) throws(LocalFailure)
    -> ThrottleRecord.Decision
  {
    var record = account.throttle
    let decision = record.count(at: now, mayLock: try mayLock(account, in: db))
    try store(record, account: account.id, in: db)
    if decision == .hear, record.guesses == ThrottlePolicy.free || record.guesses == ThrottlePolicy.lockedAt {
      let name: EventName = record.guesses == ThrottlePolicy.free ? .loginFailuresThrottled : .loginLocked
      try self.record(name, account: account.id, detail: "\(record.guesses) failures", in: db)
    }
    return decision
  }

  /// Counts an attempt on a name without an account, at the same cost.
  func countAttempt(onUnknown typed: String, at now: BootInstant, in db: Connection) throws(LocalFailure)
    -> ThrottleRecord.Decision
  {
    let hash = SQLValue.blob(UnknownName.hash(of: typed))
    let found = try db.first(UnknownNameQuery.find, hash) { ThrottleRecord($0, from: 0) }
    var record = found ?? ThrottleRecord()
    let decision = record.count(at: now, mayLock: true)
    let counts: (SQLValue, SQLValue) = (.integer(record.guesses), .integer(record.attempts))
    if found == nil {
      try db.run(UnknownNameQuery.insert, hash, counts.0, counts.1, record.waitBootValue, record.waitUntilValue)
      try db.run(UnknownNameQuery.evict, .integer(UnknownName.limit))
    } else {
      try db.run(UnknownNameQuery.update, counts.0, counts.1, record.waitBootValue, record.waitUntilValue, hash)
    }
    return decision
  }

  func store(_ record: ThrottleRecord, account: Int64, in db: Connection) throws(LocalFailure) {
    try db.run(
      AccountQuery.setThrottle, .integer(record.guesses), .integer(record.attempts), record.waitBootValue,
      record.waitUntilValue, .integer(account))
  }

  /// Every account may be locked but that of the last administrator who could unlock others.
  func mayLock(_ account: AccountRow, in db: Connection) throws(LocalFailure) -> Bool {
    if account.throttle.guesses < ThrottlePolicy.lockedAt || account.user.role != .administrator { return true }
    return try db.first(
      AccountQuery.otherAdministrator, .integer(account.id), .integer(ThrottlePolicy.lockedAt)
    ) { _ in true } ?? false
  }
}
