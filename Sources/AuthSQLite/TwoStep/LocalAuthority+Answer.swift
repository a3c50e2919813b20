package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// Checks the answer to a challenge, and begins or renews the session that was asked for.
  ///
  /// A wrong code counts as a wrong password does, and costs a try. An answer that was not checked
  /// costs nothing.
  package func answer(_ code: Password, to challenge: Challenge) throws(BackendError) -> Grant {
    guard let open = steps.takeTry(challenge.token, at: try now()) else { throw .stepNotAccepted }
    let grant: Grant?
    do throws(BackendError) {
      grant = try check(code, open.request)
    } catch {
      switch error.kind {
      case .credentials, .session: steps.close(open.token)
      case .invalid, .refused, .challenged, .notFresh, .notPermitted, .throttled, .unavailable:
        steps.returnTry(open.token)
      }
      throw error
    }
    if let grant {
      steps.close(open.token)
      return grant
    }
    guard open.triesLeft > 0 else {
      steps.close(open.token)
      throw .stepNotAccepted
    }
    throw .challenged(open.challenge)
  }

  /// - Returns: Nil when the code is wrong.
  private func check(_ code: Password, _ accepted: PasswordAccepted) throws(BackendError) -> Grant? {
    let attempt = try allowedAttempt { () throws(BackendError) in
      try writing(accepted) { (db, account, now) throws(BackendError) in
        try countAttempt(on: account, at: now, in: db)
      }
    }
    return try refunding(attempt) { () throws(BackendError) in
      try writing(accepted) { (db, account, now) throws(BackendError) -> Grant? in
        guard let used = try use(code, of: account.id, in: db) else {
          try refuse(attempt, actor: accepted.step.session.map { _ in account.id }, in: db)
          return nil
        }
        try store(ThrottleRecord(), account: account.id, in: db)
        let grant =
          if let token = accepted.step.session {
            try refresh(token, of: account, accepted.step.limits, with: used, at: now, in: db)
          } else {
            try logIn(account, accepted.step.limits, with: used, at: now, in: db)
          }
        try take(accepted.newHash, of: account, in: grant.id, in: db)
        return grant
      }
    }
  }

  /// Runs `body` in a transaction with the check that nothing has ended the challenge: neither its
  /// session nor its account, its password or its secret.
  private func writing<Result: Sendable>(
    _ accepted: PasswordAccepted, _ body: (Connection, AccountRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    func checked(_ db: Connection, _ now: BootInstant) throws(BackendError) -> Result {
      let account = try account(accepted.account, in: db)
      guard !account.isDisabled, account.passwordHash == accepted.passwordHash, try asksForCode(account.id, in: db)
      else {
        throw .stepNotAccepted
      }
      return try body(db, account, now)
    }
    guard let token = accepted.step.session else {
      return try database.write { (db) throws(BackendError) in try checked(db, try now()) }
    }
    return try writing(token, asActivity: false, beforeTwoStep: true) { (db, _, now) throws(BackendError) in
      try checked(db, now)
    }
  }
}
