package import AuthCore

extension Rules {
  /// Makes an account.
  ///
  /// The first one ever is an administrator's, except in a shared database; each opens with 100.00.
  ///
  /// It does not log in. It makes the database when there is none, unless it is shared, and forgets
  /// failed attempts on the name from before it existed.
  ///
  /// - Parameters:
  ///   - username: 1 to 64 letters, digits, `.`, `_` or `-`.
  ///   - password: At least 15 characters and at most 511 bytes, and not a common one.
  ///   - displayName: The name that screens show; nil shows the user name as typed.
  /// - Returns: The new user.
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `refused` (`username_taken`) when the name is or was in use, (`registration_closed`) when
  ///   only an administrator may, `unavailable` when nothing could be stored.
  package func register(
    username: String, password: Secret, displayName: String? = nil
  ) throws(BackendError) -> User {
    let name = try Username(username)
    let shown = try DisplayName(displayName ?? username)
    let accepted = try PasswordPolicy.accept(password, for: name)
    try database.write(isShared ? .rows : .creation) { (db) throws(BackendError) in
      try requireOpenRegistration(in: db)
      try requireFree(name, in: db)
    }
    let hash = try hasher.hash(accepted)
    return try database.write(.everything) { (db) throws(BackendError) in
      try requireOpenRegistration(in: db)
      let isFirst = isShared ? false : try db.changes(of: AccountQuery.takeFirstAdministrator) == 1
      let account = try create(name, shown, isFirst ? .administrator : .member, passwordHash: hash, in: db)
      try record(.userCreated, account: account.id, actor: account.id, detail: account.user.role.rawValue, in: db)
      return account.user
    }
  }

  /// Makes an account for somebody else, who sets its password with the code.
  ///
  /// Until then no password opens it, and a login is refused at the usual cost.
  package func registerOther(username: String, token: SessionToken) throws(BackendError) -> OneTimeCode {
    let name = try Username(username)
    let shown = try DisplayName(username)
    return try administeringFreshly(token, "registration") { (db, own, now) throws(BackendError) in
      let account = try create(name, shown, .member, passwordHash: hasher.unmatchable, in: db)
      try record(.userCreated, by: own, to: account.id, detail: account.user.role.rawValue, in: db)
      return try issueOneTimeCode(
        for: account, validFor: RecoveryPolicy.registration, by: own, "registration", at: now, in: db)
    }
  }

  func create(
    _ name: Username, _ shown: DisplayName, _ role: Role, passwordHash: String, in db: any Transaction
  ) throws(BackendError) -> AccountRow {
    try requireFree(name, in: db)
    let id = try db.first(
      AccountQuery.insert, .text(name.canonical), .text(shown.text), .text(role.rawValue), .text(passwordHash),
      .integer(db.wallTime.microseconds)
    ) { $0.integer(0) }
    guard let id else { throw db.damaged("a new account got no number") }
    try forgetAttempts(on: name, in: db)
    try Ledger(db).open(account: id, at: db.wallTime)
    return try account(id, in: db)
  }

  func requireFree(_ name: Username, in db: any Transaction) throws(BackendError) {
    let isUsed = try db.first(AccountQuery.exists, .text(name.canonical)) { _ in true } ?? false
    let wasUsed = try db.first(AccountQuery.isReserved, .blob(name.reservation)) { _ in true }
    if isUsed || wasUsed == true { throw .refused(.usernameTaken, name.canonical) }
  }

  func requireOpenRegistration(in db: any Transaction) throws(BackendError) {
    if try registration(in: db) == .closed { throw .refused(.registrationClosed) }
  }

  func registration(in db: any Transaction) throws(BackendError) -> Registration {
    let isClosed = try db.first(AccountQuery.registration) { $0.flag(0) }
    guard let isClosed else { throw db.damaged("the row of settings is missing") }
    return isClosed ? .closed : .open
  }
}

extension Rules {
  /// The session's own account.
  package func profile(token: SessionToken) throws(BackendError) -> Profile {
    try reading(token) { (db, session, _) throws(BackendError) in try profile(of: session.account, in: db) }
  }

  /// Changes the name that screens show.
  ///
  /// - Returns: The account as changed, so that no second read is needed, which could fail.
  package func rename(to typed: String, token: SessionToken) throws(BackendError) -> Profile {
    let name = try DisplayName(typed)
    return try writing(token) { (db, session, _) throws(BackendError) in
      try db.run(AccountQuery.setDisplayName, .text(name.text), .integer(session.account))
      try record(.userUpdated, by: session, in: db)
      return try profile(of: session.account, in: db)
    }
  }

  private func profile(of id: Int64, in db: any Transaction) throws(BackendError) -> Profile {
    let account = try account(id, in: db)
    return Profile(user: account.user, balance: try Ledger(db).balance(of: account.id), createdAt: account.createdAt)
  }
}

/// Checks before a password is typed.
///
/// The registration or the login checks again.
extension Rules {
  /// Checks whether a name can be registered, before a password is typed for it.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name that is not accepted, `refused`
  ///   (`username_taken`) when it is or was in use, (`registration_closed`) when only an
  ///   administrator may register, `unavailable` when no account could be stored. A missing
  ///   database is none of these, since registering makes it.
  package func check(newUsername username: String) throws(BackendError) {
    let name = try Username(username)
    do throws(BackendError) {
      try database.write(.rows) { (db) throws(BackendError) in
        try requireOpenRegistration(in: db)
        try requireFree(name, in: db)
      }
    } catch {
      guard error.code == "database_missing" else { throw error }
    }
  }

  /// Checks whether a password may be set, before it is typed again.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that the name or the password
  ///   breaks.
  package func check(newPassword password: Secret, for username: String) throws(BackendError) {
    _ = try PasswordPolicy.accept(password, for: try Username(username))
  }

  /// Checks whether a login could be stored, before a password is typed.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` with the cause.
  package func checkForLogins() throws(BackendError) {
    try database.write(.rows) { (_) throws(BackendError) in }
  }
}
