package import AuthAccounts
package import AuthCore

extension Rules {
  /// Creates an account for a new user.
  ///
  /// The first one ever is an administrator's, except in a shared database; each opens with 100.00.
  ///
  /// It does not log in. It creates a missing database, unless that is shared, and deletes failed
  /// attempts on the name from before the account existed.
  package func register(
    username: String, password: Secret, displayName: String? = nil
  ) throws(BackendError) -> User {
    let name = try Username(username)
    let shown = try DisplayName(displayName ?? username)
    let accepted = try PasswordPolicy.accept(password, for: name)
    try database.write(isShared ? .rows : .creation) { (db) throws(BackendError) in try db.requireAdmission(of: name) }
    let hash = try hasher.hash(accepted)
    return try database.write(.everything) { (db) throws(BackendError) in
      try db.requireAdmission(of: name)
      let isFirst = isShared ? false : try db.changes(of: AccountQuery.takeFirstAdministrator) == 1
      let account = try db.create(name, shown, isFirst ? .administrator : .member, passwordHash: hash)
      try db.record(.userCreated, account: account.id, actor: account.id, detail: account.user.role.rawValue)
      return account.user
    }
  }

  /// Creates an account for another user, who sets its password with the code.
  ///
  /// Until then every login is refused, at the usual cost.
  package func registerOther(username: String, token: SessionToken) throws(BackendError) -> OneTimeCode {
    let name = try Username(username)
    let shown = try DisplayName(username)
    return try writing(token, Operations.registerOther.needs, .everything) {
      (db, own) throws(BackendError) in
      let account = try db.create(name, shown, .member, passwordHash: hasher.unmatchable)
      try db.record(.userCreated, by: own, to: account.id, detail: account.user.role.rawValue)
      return try db.issueOneTimeCode(for: account, validFor: RecoveryPolicy.registration, by: own, "registration")
    }
  }

  package func profile(token: SessionToken) throws(BackendError) -> Profile {
    try reading(token, Operations.profile.needs) { (db, own) throws(BackendError) in try db.profile(of: own.account) }
  }

  package func rename(to typed: String, token: SessionToken) throws(BackendError) -> Profile {
    let name = try DisplayName(typed)
    return try writing(token, Operations.rename.needs) { (db, own) throws(BackendError) in
      try db.run(AccountQuery.setDisplayName, name.text, own.account)
      try db.record(.userUpdated, by: own)
      return try db.profile(of: own.account)
    }
  }

  // MARK: Checks before a password is typed; the registration or the login checks again.

  package func check(newUsername username: String) throws(BackendError) {
    let name = try Username(username)
    do throws(BackendError) {
      try database.write(.rows) { (db) throws(BackendError) in try db.requireAdmission(of: name) }
    } catch {
      guard error.code == "database_missing" else { throw error }
    }
  }

  package func check(newPassword password: Secret, for username: String) throws(BackendError) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  package func checkForLogins() throws(BackendError) {
    try database.write(.rows) { (_) throws(BackendError) in }
  }
}

extension Transaction {
  /// Refuses a registration that is closed, or of a name that is taken.
  fileprivate func requireAdmission(of name: Username) throws(BackendError) {
    if try registration() == .closed { throw .refused(.registrationClosed) }
    try requireFree(name)
  }

  private func requireFree(_ name: Username) throws(BackendError) {
    let isUsed = try has(AccountQuery.exists, name.canonical)
    let wasUsed = try has(AccountQuery.isReserved, name.reservation)
    if isUsed || wasUsed { throw .refused(.usernameTaken, name.canonical) }
  }

  func create(
    _ name: Username, _ shown: DisplayName, _ role: Role, passwordHash: String
  ) throws(BackendError) -> AccountRow {
    try requireFree(name)
    let id: Int64 = try one(
      AccountQuery.insert, name.canonical, shown.text, role, passwordHash, wallTime,
      else: "a new account got no number")
    try forgetAttempts(on: name)
    try openLedger(of: id)
    return try account(id)
  }

  func registration() throws(BackendError) -> Registration { try setting(AccountQuery.registration) ? .closed : .open }

  /// One of the flags that hold for the whole database.
  func setting(_ query: some Query) throws(BackendError) -> Bool {
    try one(query, else: "the row of settings is missing")
  }

  fileprivate func profile(of id: Int64) throws(BackendError) -> Profile {
    let account = try account(id)
    return Profile(user: account.user, balance: try balance(of: id), createdAt: account.createdAt)
  }
}
