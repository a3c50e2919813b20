package import AuthCore

extension LocalAuthority {
  /// The session's own account.
  package func profile(token: SessionToken) throws(LocalFailure) -> Profile {
    try reading(token) { (db, session, _) throws(LocalFailure) in
      let account = try self.account(session.account, in: db)
      return Profile(user: account.user, balance: try Ledger(db).balance(of: account.id), createdAt: account.createdAt)
    }
  }

  /// Changes the name that screens show.
  ///
  /// - Returns: The user as changed.
  package func rename(to typed: String, token: SessionToken) throws(LocalFailure) -> User {
    let name = try DisplayName(typed)
    return try writing(token) { (db, session, _) throws(LocalFailure) in
      try db.run(AccountQuery.setDisplayName, .text(name.text), .integer(session.account))
      try record(.userUpdated, account: session.account, actor: session.account, session: session.id, in: db)
      return try account(session.account, in: db).user
    }
  }
}
