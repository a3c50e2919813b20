package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// The session's own account.
  package func profile(token: SessionToken) throws(BackendError) -> Profile {
    try reading(token) { (db, session, _) throws(BackendError) in try profile(of: session.account, in: db) }
  }

  /// Changes the name that screens show.
  ///
  /// - Returns: The account as changed, so that nobody has to ask again, which could fail, to show it.
  package func rename(to typed: String, token: SessionToken) throws(BackendError) -> Profile {
    let name = try DisplayName(typed)
    return try writing(token) { (db, session, _) throws(BackendError) in
      try db.run(AccountQuery.setDisplayName, .text(name.text), .integer(session.account))
      try record(.userUpdated, account: session.account, actor: session.account, session: session.id, in: db)
      return try profile(of: session.account, in: db)
    }
  }

  private func profile(of id: Int64, in db: Connection) throws(BackendError) -> Profile {
    let account = try account(id, in: db)
    return Profile(user: account.user, balance: try Ledger(db).balance(of: account.id), createdAt: account.createdAt)
  }
}
