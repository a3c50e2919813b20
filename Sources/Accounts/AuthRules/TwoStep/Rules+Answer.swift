import AuthAccounts
import AuthCore

extension Rules {
  /// Checks the answer to a challenge, and begins or renews the session that was asked for.
  ///
  /// A wrong code counts as a wrong password does, and costs a try. An answer that was not checked
  /// costs nothing. It is counted, checked and paid for in one transaction, so nothing is ever
  /// taken back after a code could have been judged.
  func answer(_ code: Secret, to token: SessionToken, for new: NewSession) throws(BackendError) -> Grant {
    if let grant = try earlierAnswer(new.token) { return grant }
    var login: Int64?
    let outcome = try allowedAttempt { () throws(BackendError) in
      try answering(token.digest) {
        (db, open, account) throws(BackendError) -> (PasswordAttempt, Result<Grant, BackendError>?) in
        let attempt = try db.countAttempt(on: account)
        guard attempt.decision == .allow else { return (attempt, nil) }
        guard let used = try db.use(code, of: account.id) else {
          try db.refuse(attempt, actor: open.request.session == nil ? nil : account.id)
          try db.run(open.triesLeft > 1 ? ChallengeQuery.takeTry : .close, token.digest)
          let left: OpenChallenge? = try db.first(ChallengeQuery.find, token.digest)
          let refusal = left.map { BackendError.challenged($0.challenge(token)) } ?? .credentialsNotAccepted
          return (attempt, .failure(try db.clockFault(of: account.id) ?? refusal))
        }
        try db.run(ChallengeQuery.close, token.digest)
        try db.store(ThrottleRecord(), account: account.id)
        let grant = try proceed(with: open.request, of: account, for: new, used: used, in: db)
        try db.rehash(open.newHash, of: account, in: grant.id)
        login = open.request.session == nil ? account.id : nil
        return (attempt, .success(grant))
      }
    }
    let grant = try outcome.get()
    endSurplus(of: login, besides: grant.id)
    return grant
  }

  /// The grant of an answer that was right and whose own answer was lost: nobody else has the token
  /// that it names.
  private func earlierAnswer(_ token: SessionToken) throws(BackendError) -> Grant? {
    try database.read { (db) throws(BackendError) in
      switch try db.find(token) {
      case .live(let session), .pending(let session, _): session.grant(try named(token, in: db))
      case .ended, .superseded, .unknown: nil
      }
    }
  }

  /// Runs `body` in a transaction with the check that nothing has ended the challenge: neither its
  /// session nor its account, its password or its secret.
  private func answering<Result: Sendable>(
    _ hash: [UInt8], _ body: (any Transaction, OpenChallenge, AccountRow) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    var session: [UInt8]?
    return try noting(session) { () throws(BackendError) in
      try database.write(.rows) { (db) throws(BackendError) in
        let seen = try db.openChallenge(hash)
        session = seen.request.session
        if let session { try db.lock(.session(session)) }
        try db.lock(.account(seen.account))
        if let session { _ = try db.activeSession(session) }
        // Another answer may have been checked while this one waited for the locks.
        let open = try db.openChallenge(hash)
        let account = try db.account(open.account)
        guard !account.isDisabled, account.passwordHash == open.passwordHash, account.hasSecondStep
        else { throw .credentialsNotAccepted }
        return try body(db, open, account)
      }
    }
  }
}

extension Transaction {
  fileprivate func openChallenge(_ hash: [UInt8]) throws(BackendError) -> OpenChallenge {
    guard let open: OpenChallenge = try first(ChallengeQuery.find, hash), open.isOpen(at: try now()) else {
      throw .credentialsNotAccepted
    }
    return open
  }
}
