import AuthCore
import TextFormat

extension Rules {
  /// Checks the answer to a challenge, and begins or renews the session that was asked for.
  ///
  /// A wrong code counts as a wrong password does, and costs a try. An answer that was not checked
  /// costs nothing. It is counted, checked and paid for in one transaction, so nothing is ever
  /// taken back after a code could have been judged.
  func answer(_ code: Secret, to token: SessionToken, for new: NewSession) throws(BackendError) -> Grant {
    if let grant = try earlierAnswer(new.token) { return grant }
    let hash = SHA256.hash(token.bytes)
    let outcome = try allowedAttempt { () throws(BackendError) in
      try answering(hash) {
        (db, open, account, now) throws(BackendError) -> (PasswordAttempt, Result<Grant, BackendError>?) in
        let attempt = try countAttempt(on: account, at: now, in: db)
        guard attempt.decision == .allow else { return (attempt, nil) }
        if let used = try use(code, of: account.id, in: db) {
          try db.run(ChallengeQuery.close, .blob(hash))
          try store(ThrottleRecord(), account: account.id, in: db)
          let grant =
            if let session = open.request.session {
              try refresh(
                try claim(hash: session, at: now, in: db), of: account, open.request.limits, new.token, with: used,
                at: now, in: db)
            } else {
              try logIn(account, open.request.limits, for: new, with: used, at: now, in: db)
            }
          try take(open.newHash, of: account, in: grant.id, in: db)
          return (attempt, .success(grant))
        }
        try refuse(attempt, actor: open.request.session.map { _ in account.id }, in: db)
        try db.run(open.triesLeft > 1 ? ChallengeQuery.takeTry : .close, .blob(hash))
        let left = try db.first(ChallengeQuery.find, .blob(hash)) { OpenChallenge($0) }
        return (attempt, .failure(left.map { .challenged($0.challenge(token)) } ?? .credentialsNotAccepted))
      }
    }
    return try outcome.get()
  }

  /// The grant of an answer that was right and whose own answer was lost: nobody else has the token
  /// that it names.
  private func earlierAnswer(_ token: SessionToken) throws(BackendError) -> Grant? {
    try database.read { (db) throws(BackendError) in
      switch try find(hash: SHA256.hash(token.bytes), at: try db.now(), in: db) {
      case .live(let session), .pending(let session, _): session.grant(token: token)
      case .ended, .superseded, .unknown: nil
      }
    }
  }

  /// Runs `body` in a transaction with the check that nothing has ended the challenge: neither its
  /// session nor its account, its password or its secret.
  private func answering<Result: Sendable>(
    _ hash: [UInt8],
    _ body: (any Transaction, OpenChallenge, AccountRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    func find(_ db: any Transaction) throws(BackendError) -> OpenChallenge {
      guard let open = try db.first(ChallengeQuery.find, .blob(hash), read: { OpenChallenge($0) }),
        open.isOpen(at: try db.now())
      else { throw .credentialsNotAccepted }
      return open
    }
    var session: [UInt8]?
    return try noting(session) { () throws(BackendError) in
      try database.write(.rows) { (db) throws(BackendError) in
        let seen = try find(db)
        session = seen.request.session
        if let session { try db.lock(.session(session)) }
        try db.lock(.account(seen.account))
        let now = try db.now()
        if let session { _ = try claim(hash: session, at: now, in: db) }
        // Another answer may have been checked while this one waited for the locks.
        let open = try find(db)
        let account = try account(open.account, in: db)
        guard !account.isDisabled, account.passwordHash == open.passwordHash, try asksForCode(account.id, in: db)
        else { throw .credentialsNotAccepted }
        return try body(db, open, account, now)
      }
    }
  }
}
