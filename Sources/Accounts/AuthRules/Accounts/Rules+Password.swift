package import AuthAccounts
package import AuthCore

extension Rules {
  /// Changes the password of the session's user, ends the user's other sessions and gives this one
  /// a new token.
  ///
  /// The session must be fresh. The present password is checked once more, under the throttle, and
  /// the change commits only if the hash that it was checked against is still the stored one. So
  /// exactly one of two simultaneous changes succeeds.
  package func changePassword(
    from present: Secret, to new: Secret, token: SessionToken, as newToken: SessionToken
  ) throws(BackendError) -> Grant {
    if let grant = try repeated(newToken, token) { return grant }
    let user = try reading(token, Operations.changePassword.needs) { (_, own) throws(BackendError) in own.user }
    let accepted = try PasswordPolicy.accept(new, for: try Username(user.username))
    guard accepted.text != (try? NormalizedPassword(present))?.text else { throw .invalid(.passwordUnchanged) }
    let hash = try hasher.hash(accepted)
    let attempt = try allowedAttempt(under: token, .active)
    return try accept(present, for: attempt, .everything, asking: nil) { (db, account) throws(BackendError) in
      let session = try db.activeSession(token)
      try db.requireFresh(session)
      try db.run(AccountQuery.setPassword, hash, account.id)
      try db.run(CodeQuery.voidOneTimeCodes, account.id)
      try db.endAll(of: account.id, except: session.id, because: .revoked, by: account.id)
      let grant = try issue(newToken, for: session, .standard, in: db)
      try db.record(.passwordChanged, by: session)
      return grant
    }
  }

  /// The grant of an earlier change whose answer was lost; nil unless its token was issued for this
  /// session.
  private func repeated(_ issued: SessionToken, _ present: SessionToken) throws(BackendError) -> Grant? {
    try database.read { (db) throws(BackendError) in
      guard case .pending(let renewed, _) = try db.find(issued),
        case .live(let session) = try db.find(present), session.id == renewed.id
      else { return nil }
      return renewed.grant(try named(issued, in: db))
    }
  }
}
