import AuthAccounts
import AuthCore

extension Rules {
  /// Finds the session of a token; it only reads.
  ///
  /// The use of an ended one is recorded as an event.
  func resume(_ token: SessionToken) throws(BackendError) -> Grant {
    try reading(token, .beforeTwoStep) { (_, own) throws(BackendError) in own.grant(token) }
  }

  func lookUp(_ token: SessionToken) throws(BackendError) -> Grant? {
    try database.read { (db) throws(BackendError) -> Grant? in
      if case .live(let session) = try db.find(token) { session.grant(token) } else { nil }
    }
  }

  func inspect(_ token: SessionToken) throws(BackendError) -> Grant {
    try database.read { (db) throws(BackendError) in try db.find(token).active().grant(token) }
  }

  /// Records activity of a session.
  ///
  /// It writes when the last activity is older than a minute, or a thirtieth of the idle limit, and
  /// keeps the token.
  func renew(_ token: SessionToken) throws(BackendError) -> Grant {
    let (session, isStale) = try reading(token, .beforeTwoStep) { (db, own) throws(BackendError) in
      (own, own.terms.isStale(at: try db.now()))
    }
    if !isStale { return session.grant(token) }
    try writing(token, .beforeTwoStep) { (_, _) throws(BackendError) in }
    return try resume(token)
  }

  /// Replaces the current token of a session with the issued one.
  func confirm(_ token: SessionToken) throws(BackendError) { _ = try resume(token) }

  /// Ends the session of a token, durably when it returns.
  ///
  /// A superseded token, or one that was issued and never used, ends its session too. The token of
  /// a challenge ends that alone.
  ///
  /// A caller may say that its user asked or switched; a session that is over ends for the reason
  /// that the database knows, and every other reason counts as the first.
  func revoke(_ token: SessionToken, reason: EndReason) throws(BackendError) {
    let hash = token.digest
    let given = reason == .switchedUser ? reason : .userAsked
    try database.write(.rows) { (db) throws(BackendError) in
      try db.lock(.session(hash))
      switch try db.find(token) {
      case .unknown: try db.run(ChallengeQuery.close, hash)
      case .live(let session), .pending(let session, _), .superseded(let session):
        if session.marked == nil { try db.end(session, because: given, by: session.account) }
      case .ended(let session, let known):
        if session.marked == nil { try db.end(session, because: known, by: session.account) }
      }
    }
  }
}
