public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// Makes an account.
  ///
  /// The first one ever is an administrator's; each opens with 100.00.
  ///
  /// It does not log in. It makes the database when there is none, and forgets failed attempts on the name from before
  /// it existed.
  ///
  /// - Parameters:
  ///   - username: 1 to 64 letters, digits, `.`, `_` or `-`.
  ///   - password: At least 15 characters and at most 511 bytes, and none that is tried first.
  ///   - displayName: The name that screens show; nil shows the user name as typed.
  /// - Returns: The new user.
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted, `refused`
  ///   (`username_taken`) when the name is in use, `unavailable` when nothing could be stored.
  public func register(
    username: String, password: Password, displayName: String? = nil
  ) throws(BackendError) -> User {
    let name = try Username(username)
    let shown = try DisplayName(displayName ?? username)
    let accepted = try PasswordPolicy.accept(password, for: name)
    try database.write(creating: true) { (db) throws(BackendError) in try requireFree(name, in: db) }
    let hash = try hasher.hash(accepted)
    return try database.write { (db) throws(BackendError) in
      try requireFree(name, in: db)
      let role: Role = try db.run(AccountQuery.takeFirstAdministrator) == 1 ? .administrator : .member
      let id = try db.first(
        AccountQuery.insert, .text(name.canonical), .text(shown.text), .text(role.rawValue), .text(hash),
        .integer(wallClock().microseconds)
      ) { $0.integer(0) }
      guard let id else { throw db.damaged("a new account got no number") }
      try db.run(UnknownNameQuery.forget, .blob(UnknownName.hash(of: username)))
      try Ledger(db).open(account: id, at: wallClock())
      try record(.userCreated, account: id, actor: id, detail: role.rawValue, in: db)
      return User(
        id: AccountRow.userID(id), username: name.canonical, displayName: shown.text, role: role)
    }
  }

  func requireFree(_ name: Username, in db: Connection) throws(BackendError) {
    if try db.first(AccountQuery.exists, .text(name.canonical), read: { _ in true }) != nil {
      throw .refused("username_taken", "The name '\(name)' is taken.", hint: "Choose another name.")
    }
  }
}
