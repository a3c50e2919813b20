package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// Changes the password of the session's user, ends the user's other sessions and gives this one
  /// a new token.
  ///
  /// The session must be fresh. The present password is checked once more, under the throttle, and
  /// the change commits only if the hash that it was checked against is still the stored one. So of
  /// two changes at once exactly one is made.
  package func changePassword(
    from present: Password, to new: Password, token: SessionToken
  ) throws(BackendError) -> Grant {
    let user = try reading(token) { (_, session, now) throws(BackendError) in
      try requireFresh(session, at: now)
      return session.user
    }
    let accepted = try PasswordPolicy.accept(new, for: try Username(user.username))
    let known = try? NormalizedPassword(present)
    guard accepted.text != known?.text else {
      throw .passwordUnchanged
    }
    let hash = try hasher.hash(accepted)
    let attempt = try allowedAttempt { () throws(BackendError) in
      try writing(token, asActivity: false) { (db, session, now) throws(BackendError) in
        try countAttempt(on: try account(session.account, in: db), at: now, in: db)
      }
    }
    let grant = try accept(known, for: attempt, asking: nil) { (db, account, now) throws(BackendError) in
      let session = try claim(token, at: now, in: db)
      try requireFresh(session, at: now)
      try db.run(AccountQuery.setPassword, .text(hash), .integer(account.id))
      try db.run(CodeQuery.voidOneTimeCodes, .integer(account.id))
      _ = try endAll(of: account.id, except: session.id, because: .revoked, by: account.id, at: now, in: db)
      let grant = try issue(for: session, limits: .standard, at: now, in: db)
      excuses.give(session.id, with: hash, at: now)
      try record(.passwordChanged, account: account.id, actor: account.id, session: session.id, in: db)
      return grant
    }
    guard let grant else {
      try database.write { (db) throws(BackendError) in
        try fail(attempt, in: db)
        try record(.reauthenticationFailed, account: attempt.account?.id, actor: attempt.account?.id, in: db)
      }
      throw .credentialsNotAccepted
    }
    return grant
  }

  func requireFresh(_ session: SessionRow, at now: BootInstant) throws(BackendError) {
    guard session.limits.isFresh(at: now) else { throw .notFresh }
  }
}
