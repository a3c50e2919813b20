package import AuthCore
import TextFormat

extension Rules {
  /// Changes the password of the session's user, ends the user's other sessions and gives this one
  /// a new token.
  ///
  /// The session must be fresh. The present password is checked once more, under the throttle, and
  /// the change commits only if the hash that it was checked against is still the stored one. So of
  /// two changes at once exactly one is made.
  package func changePassword(
    from present: Secret, to new: Secret, token: SessionToken, as newToken: SessionToken
  ) throws(BackendError) -> Grant {
    let own = SHA256.hash(token.bytes)
    if let grant = try repeated(newToken, own) { return grant }
    let user = try reading(token) { (_, session, now) throws(BackendError) in
      try requireFresh(session, at: now)
      return session.user
    }
    let accepted = try PasswordPolicy.accept(new, for: try Username(user.username))
    let known = try? NormalizedPassword(present)
    guard accepted.text != known?.text else { throw .invalid(.passwordUnchanged) }
    let hash = try hasher.hash(accepted)
    let attempt = try allowedAttempt(under: token)
    return try accept(known, for: attempt, .everything, asking: nil) { (db, account, now) throws(BackendError) in
      let session = try claim(hash: own, at: now, in: db)
      try requireFresh(session, at: now)
      try db.run(AccountQuery.setPassword, .text(hash), .integer(account.id))
      try db.run(CodeQuery.voidOneTimeCodes, .integer(account.id))
      _ = try endAll(of: account.id, except: session.id, because: .revoked, by: account.id, at: now, in: db)
      let grant = try issue(newToken, for: session, limits: .standard, at: now, in: db)
      try db.run(
        ChallengeQuery.excuse,
        .integer(now.uptime.wholeNanoseconds.clampedSum(TwoStepRules.excuse.wholeNanoseconds)),
        .text(session.id.rawValue))
      try record(.passwordChanged, by: session, in: db)
      return grant
    }
  }

  /// The grant of a change that was made and whose answer was lost: its token is issued, for the
  /// same session.
  private func repeated(_ token: SessionToken, _ own: [UInt8]) throws(BackendError) -> Grant? {
    try database.read { (db) throws(BackendError) in
      let now = try db.now()
      guard case .pending(let issued, _) = try find(hash: SHA256.hash(token.bytes), at: now, in: db),
        case .live(let session) = try find(hash: own, at: now, in: db), session.id == issued.id
      else { return nil }
      return issued.grant(token: token)
    }
  }

  func requireFresh(_ session: SessionRow, at now: BootInstant) throws(BackendError) {
    guard session.limits.isFresh(at: now) else { throw .notFresh }
  }
}
