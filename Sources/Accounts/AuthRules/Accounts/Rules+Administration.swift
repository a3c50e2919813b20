package import AuthAccounts
package import AuthCore

extension Rules {
  package func accounts(_ query: AccountsQuery, token: SessionToken) throws(BackendError) -> [AccountSummary] {
    try reading(token, Operations.accounts.needs) { (db, _) throws(BackendError) in
      try db.accounts(query).map { (row) throws(BackendError) in try db.summary(row) }
    }
  }

  package func account(named name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try reading(token, Operations.account.needs) { (db, _) throws(BackendError) in
      try db.summary(try db.existing(name))
    }
  }

  package func setDisabled(
    _ disabled: Bool, account name: Username, token: SessionToken
  ) throws(BackendError) -> AccountSummary {
    try changingAccount(name, token, Operations.setDisabled.needs) { (db, account, own) throws(BackendError) in
      if account.isDisabled == disabled { return }
      if disabled { try db.requireAnotherAdministrator(than: account) }
      try db.run(AccountQuery.setDisabled, disabled, account.id)
      if disabled { try db.endAll(of: account.id, because: .accountDisabled, by: own.account) }
      try db.record(disabled ? .userDisabled : .userEnabled, by: own, to: account.id)
    }
  }

  package func unlock(account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try changingAccount(name, token, Operations.unlock.needs) { (db, account, own) throws(BackendError) in
      try db.store(ThrottleRecord(), account: account.id)
      try db.record(.loginUnlocked, by: own, to: account.id)
    }
  }

  /// Changes the role of an account.
  ///
  /// Its sessions stay active: the role is read at each use.
  package func setRole(_ role: Role, account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  {
    try changingAccount(name, token, Operations.setRole.needs) { (db, account, own) throws(BackendError) in
      let old = account.user.role
      if old == role { return }
      if role != .administrator { try db.requireAnotherAdministrator(than: account) }
      try db.run(AccountQuery.setRole, role, account.id)
      try db.record(.authorizationChanged, by: own, to: account.id, detail: "\(old.rawValue) to \(role.rawValue)")
    }
  }

  package func registration(token: SessionToken) throws(BackendError) -> Registration {
    try reading(token, Operations.registration.needs) { (db, _) throws(BackendError) in try db.registration() }
  }

  package func setRegistration(_ registration: Registration, token: SessionToken) throws(BackendError) {
    try writing(token, Operations.setRegistration.needs, .everything) { (db, own) throws(BackendError) in
      if try db.registration() == registration { return }
      try db.run(AccountQuery.setRegistration, registration == .closed)
      try db.record(.administered, by: own, detail: "registration \(registration.rawValue)")
    }
  }

  package func noteView(of subject: String, token: SessionToken) throws(BackendError) {
    try writing(token, Operations.noteView.needs) { (db, own) throws(BackendError) in
      try db.record(.sensitiveRead, by: own, detail: subject)
    }
  }

  /// Runs `body` on an account for an administrator's session with a recent password.
  private func changingAccount(
    _ name: Username, _ token: SessionToken, _ needs: SessionNeeds?,
    _ body: (any Transaction, AccountRow, SessionRow) throws(BackendError) -> Void
  ) throws(BackendError) -> AccountSummary {
    try writing(token, needs, .everything) { (db, own) throws(BackendError) in
      try body(db, try db.existing(name), own)
      return try db.summary(try db.existing(name))
    }
  }
}

extension Transaction {
  fileprivate func accounts(_ query: AccountsQuery) throws(BackendError) -> [AccountRow] {
    let (from, to) = query.names
    let limit = max(0, query.limit)
    switch query.order {
    case .name:
      // The next name that there can be: nothing in a name comes before `-`.
      return try all(AccountSelection.page, query.after.map { max($0 + "-", from) } ?? from, to, limit)
    case .lastLogin:
      let last = try query.after.map { (name) throws(BackendError) in try existing(try Username(name)) }
      // Few names that begin with this are sorted here. The index of logins would be searched to
      // its end for them.
      let few = 1000
      if !query.namePrefix.isEmpty {
        let named: [AccountRow] = try all(AccountSelection.page, from, to, few + 1)
        if named.count <= few {
          func place(_ row: AccountRow) -> (Int64, Int64) { (row.lastLogin, row.id) }
          let sorted = named.sorted { place($0) > place($1) }
          return Array(sorted.filter { row in last.map { place(row) < place($0) } ?? true }.prefix(limit))
        }
      }
      return try all(AccountSelection.pageByLogin, last?.lastLogin ?? .max, last?.id ?? .max, from, to, limit)
    }
  }

  func summary(_ row: AccountRow) throws(BackendError) -> AccountSummary {
    AccountSummary(
      user: row.user, isDisabled: row.isDisabled, createdAt: row.createdAt, failedAttempts: row.throttle.attempts,
      throttle: row.throttle.decision(at: try now(), mayLock: try mayLock(row)).denial,
      lastLoginAt: row.lastLogin > 0 ? WallTime(microseconds: row.lastLogin) : nil, hasSecondStep: row.hasSecondStep)
  }
}
