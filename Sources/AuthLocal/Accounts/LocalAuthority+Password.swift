package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// Changes the password of the session's user, ends the user's other sessions and gives this one a new token.
  ///
  /// The session must be fresh: the present password was entered a short while ago, under the throttle.
  package func changePassword(to new: Password, token: SessionToken) throws(LocalFailure) -> Grant {
    let user = try reading(token) { (_, session, now) throws(LocalFailure) in
      try requireFresh(session, at: now)
      return session.user
    }
    let accepted = try PasswordPolicy.accept(new, for: try Username(user.username))
    let hash = try hasher.hash(accepted)
    return try writing(token, asActivity: false) { (db, session, now) throws(LocalFailure) in
      try requireFresh(session, at: now)
      try db.run(AccountQuery.setPassword, .text(hash), .integer(session.account))
      _ = try endAll(
        of: session.account, except: session.id, because: .revoked, by: session.account, at: now, in: db)
      let grant = try issue(for: session, limits: .standard, at: now, in: db)
      try record(.passwordChanged, account: session.account, actor: session.account, session: session.id, in: db)
      return grant
    }
  }

  func requireFresh(_ session: SessionRow, at now: BootInstant) throws(LocalFailure) {
    guard session.limits.isFresh(at: now) else { throw .notFresh }
  }
}
