package import AuthCore

extension Rules {
  /// Accounts.
  ///
  /// - Parameters:
  ///   - query: Which, and in which order.
  ///   - token: The session of an administrator.
  /// - Returns: The page; shorter than the limit when it is the last.
  /// - Throws: ``BackendError``.
  package func accounts(_ query: AccountsQuery, token: SessionToken) throws(BackendError) -> [AccountSummary] {
    try administering(token, reading: "accounts") { (db, _, now) throws(BackendError) in
      var page: [AccountSummary] = []
      for row in try rows(query, in: db) { page.append(try summary(row, at: now, in: db)) }
      return page
    }
  }

  private func rows(_ query: AccountsQuery, in db: any Transaction) throws(BackendError) -> [AccountRow] {
    let (from, to) = query.names
    let limit = SQLValue.integer(max(0, query.limit))
    switch query.order {
    case .name:
      // The next name that there can be: nothing in a name comes before `-`.
      let next = query.after.map { max($0 + "-", from) } ?? from
      return try db.all(AccountQuery.page, .text(next), .text(to), limit) { (row) throws(BackendError) in
        try AccountRow(row, in: db)
      }
    case .lastLogin:
      let last = try query.after.map { (name) throws(BackendError) in try existing(try Username(name), in: db) }
      return try db.all(
        AccountQuery.pageByLogin, .integer(last?.lastLogin ?? .max), .integer(last?.id ?? .max), .text(from),
        .text(to), limit
      ) { (row) throws(BackendError) in
        try AccountRow(row, in: db)
      }
    }
  }

  /// One account.
  package func account(named name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try administering(token, reading: "accounts") { (db, _, now) throws(BackendError) in
      try summary(try existing(name, in: db), at: now, in: db)
    }
  }

  /// Disables an account and ends its sessions, or enables it again.
  package func setDisabled(
    _ disabled: Bool, account name: Username, token: SessionToken
  ) throws(BackendError) -> AccountSummary {
    try changingAccount(name, token: token) { (db, account, own, now) throws(BackendError) in
      if account.isDisabled == disabled { return }
      if disabled { try requireAnotherAdministrator(than: account, in: db) }
      try db.run(AccountQuery.setDisabled, .integer(disabled ? 1 : 0), .integer(account.id))
      if disabled {
        _ = try endAll(of: account.id, except: nil, because: .accountDisabled, by: own.account, at: now, in: db)
      }
      try record(disabled ? .userDisabled : .userEnabled, by: own, to: account.id, in: db)
    }
  }

  /// Forgets the failed attempts on an account, so that the next one is checked.
  package func unlock(account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try changingAccount(name, token: token) { (db, account, own, _) throws(BackendError) in
      try store(ThrottleRecord(), account: account.id, in: db)
      try record(.loginUnlocked, by: own, to: account.id, in: db)
    }
  }

  /// Makes an account an administrator's or a member's.
  ///
  /// Its sessions go on: the role is read anew with each use.
  package func setRole(_ role: Role, account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  {
    try changingAccount(name, token: token) { (db, account, own, _) throws(BackendError) in
      if account.user.role == role { return }
      if role != .administrator { try requireAnotherAdministrator(than: account, in: db) }
      try db.run(AccountQuery.setRole, .text(role.rawValue), .integer(account.id))
      try record(
        .authorizationChanged, by: own, to: account.id,
        detail: "\(account.user.role.rawValue) to \(role.rawValue)", in: db)
    }
  }

  /// Who may create accounts.
  package func registration(token: SessionToken) throws(BackendError) -> Registration {
    try administering(token, reading: "registration") { (db, _, _) throws(BackendError) in try registration(in: db) }
  }

  /// Opens or closes the registration.
  package func setRegistration(_ registration: Registration, token: SessionToken) throws(BackendError) {
    try administeringFreshly(token, "registration") { (db, own, _) throws(BackendError) in
      if try self.registration(in: db) == registration { return }
      try db.run(AccountQuery.setRegistration, .integer(registration == .closed ? 1 : 0))
      try record(.administered, by: own, detail: "registration \(registration.rawValue)", in: db)
    }
  }

  /// Records that an administrator read accounts.
  package func noteView(of subject: String, token: SessionToken) throws(BackendError) {
    try writing(token) { (db, own, _) throws(BackendError) in
      guard own.user.role == .administrator else { throw .notPermitted }
      try record(.sensitiveRead, by: own, detail: subject, in: db)
    }
  }

  /// Runs `body` for an administrator's session.
  ///
  /// A refusal because of the role is recorded as an event.
  func administering<Result: Sendable>(
    _ token: SessionToken, reading resource: String,
    _ body: (any Transaction, SessionRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try notingRefusal(token, resource) { () throws(BackendError) in
      try reading(token) { (db, own, now) throws(BackendError) in
        guard own.user.role == .administrator else { throw .notPermitted }
        return try body(db, own, now)
      }
    }
  }

  private func changingAccount(
    _ name: Username, token: SessionToken,
    _ body: (any Transaction, AccountRow, SessionRow, BootInstant) throws(BackendError) -> Void
  ) throws(BackendError) -> AccountSummary {
    try administeringFreshly(token, "accounts") { (db, own, now) throws(BackendError) in
      try body(db, try existing(name, in: db), own, now)
      return try summary(try existing(name, in: db), at: now, in: db)
    }
  }

  /// Runs `body` for an administrator's session with a recent password, in one transaction.
  ///
  /// A refusal because of the role is recorded as an event.
  func administeringFreshly<Result: Sendable>(
    _ token: SessionToken, _ resource: String,
    _ body: (any Transaction, SessionRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try notingRefusal(token, resource) { () throws(BackendError) in
      try writing(token, .everything) { (db, own, now) throws(BackendError) in
        guard own.user.role == .administrator else { throw .notPermitted }
        try requireFresh(own, at: now)
        return try body(db, own, now)
      }
    }
  }

  private func notingRefusal<Result>(
    _ token: SessionToken, _ resource: String, _ body: () throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      if error.kind == .notPermitted {
        // The operation is refused even when the event cannot be written.
        try? writing(token, asActivity: false) { (db, own, _) throws(BackendError) in
          try record(.authorizationFailed, by: own, detail: resource, in: db)
        }
      }
      throw error
    }
  }

  func existing(_ name: Username, in db: any Transaction) throws(BackendError) -> AccountRow {
    guard let account = try account(named: name, in: db) else { throw .refused(.accountNotFound, name.canonical) }
    return account
  }

  func requireAnotherAdministrator(than account: AccountRow, in db: any Transaction) throws(BackendError) {
    guard account.user.role == .administrator else { return }
    let other = try db.first(AccountQuery.otherAdministrator, .integer(account.id), .integer(Int64.max)) { _ in true }
    if other == nil {
      throw .refused(.lastAdministrator, account.user.username)
    }
  }

  private func summary(_ row: AccountRow, at now: BootInstant, in db: any Transaction) throws(BackendError)
    -> AccountSummary
  {
    AccountSummary(
      user: row.user, isDisabled: row.isDisabled, createdAt: row.createdAt, failedAttempts: row.throttle.attempts,
      throttle: row.throttle.status(at: now, mayLock: try mayLock(row, in: db)),
      lastLoginAt: row.lastLogin > 0 ? WallTime(microseconds: row.lastLogin) : nil, hasSecondStep: row.hasSecondStep)
  }
}
