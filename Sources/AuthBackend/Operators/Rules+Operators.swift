package import AuthCore

/// What an operator does without a session; each of these is logged as an event without an actor.
///
/// None of these is a ``BackendRequest``, so what reads the people's socket can never come by one.
extension Rules {
  /// Creates the first account, an administrator's, and closes the registration.
  ///
  /// On a database without tables, or without any administrator yet, so that an installation that
  /// was interrupted can be repeated.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for a name or a password that is not accepted,
  ///   `refused` (`schema_exists`) when there was an administrator before.
  package func install(firstAdministrator typed: String, password: Secret) throws(BackendError) -> User {
    let name = try Username(typed)
    let shown = try DisplayName(typed)
    let hash = try hasher.hash(try PasswordPolicy.accept(password, for: name))
    return try database.write(.creation) { (db) throws(BackendError) in
      guard try db.changes(of: AccountQuery.takeFirstAdministrator) == 1 else { throw .refused(.schemaExists) }
      let account = try create(name, shown, .administrator, passwordHash: hash, in: db)
      try db.run(AccountQuery.setRegistration, .integer(1))
      try record(.userCreated, account: account.id, detail: account.user.role.rawValue, in: db)
      try record(.administered, account: nil, detail: "registration \(Registration.closed.rawValue)", in: db)
      return account.user
    }
  }

  /// Ends every session of a user.
  ///
  /// - Returns: How many were active.
  package func endSessions(of name: Username) throws(BackendError) -> Int {
    try database.write(.everything) { (db) throws(BackendError) in
      let account = try existing(name, in: db)
      return try endAll(of: account.id, except: nil, because: .revoked, by: nil, at: try db.now(), in: db)
    }
  }

  /// Turns the second step of a user off who lost the device and all codes.
  package func endTwoStep(of name: Username) throws(BackendError) {
    try database.write(.everything) { (db) throws(BackendError) in
      let account = try existing(name, in: db)
      guard try asksForCode(account.id, in: db) else { throw .refused(.twoStepNotOn) }
      try db.run(TwoStepQuery.turnOff, .integer(account.id))
      try db.run(ChallengeQuery.closeAll, .integer(account.id))
      try record(.twoStepOff, account: account.id, detail: "operator", in: db)
    }
  }

  /// Ends all sessions and voids all codes, which may have ended or been used since a backup was
  /// made, and lists what only a person can check.
  package func cleanUpAfterRestore() throws(BackendError) -> RestoreReport {
    try database.write(.everything) { (db) throws(BackendError) in
      func names(_ query: OperatorQuery) throws(BackendError) -> RestoreReport.Names {
        let rows = try db.all(query, .integer(RestoreReport.Names.limit)) { ($0.text(0), Int($0.integer(1))) }
        return RestoreReport.Names(first: rows.map(\.0), count: rows.first?.1 ?? 0)
      }
      func newest(_ query: OperatorQuery) throws(BackendError) -> RestoreReport.Moment? {
        try db.first(query) {
          RestoreReport.Moment(id: $0.integer(0), at: WallTime(microseconds: $0.integer(1)))
        }
      }
      let lastEvent = try newest(.lastEvent)
      let sessions = try db.changes(
        of: OperatorQuery.endEverySession, .text(EndReason.revoked.code), .integer(db.wallTime.microseconds))
      let codes = try db.changes(of: OperatorQuery.voidEveryCode)
      try db.run(OperatorQuery.closeEveryChallenge)
      try record(
        .administered, account: nil, detail: "after a restore: \(sessions) sessions ended, \(codes) codes voided",
        in: db)
      return RestoreReport(
        sessions: sessions, codes: codes, administrators: try names(.administrators),
        disabled: try names(.disabled), withTwoStep: try names(.withTwoStep),
        lastPayment: try newest(.lastPayment), lastEvent: lastEvent)
    }
  }
}

/// The statements of an operator's rare requests, which may read whole tables.
package enum OperatorQuery: String, Query {
  case endEverySession = """
    UPDATE sessions SET ended_reason = $1, ended_at = $2, label = NULL, terminal = NULL, program = NULL, host = NULL
    WHERE ended_reason IS NULL
    """
  case voidEveryCode = "DELETE FROM codes"
  case closeEveryChallenge = "DELETE FROM challenges"
  // The second column of these is how many names there are without the limit.
  case administrators = """
    SELECT name, count(*) OVER () FROM accounts WHERE role = 'administrator' ORDER BY name LIMIT $1
    """
  // The name of a deleted account begins with "#".
  case disabled = """
    SELECT name, count(*) OVER () FROM accounts WHERE disabled = 1 AND name NOT LIKE '#%' ORDER BY name LIMIT $1
    """
  case withTwoStep = """
    SELECT a.name, count(*) OVER () FROM accounts a JOIN two_steps t ON t.account = a.id WHERE t.last_step IS NOT NULL
    ORDER BY a.name LIMIT $1
    """
  case lastPayment = "SELECT id, made_at FROM transfers WHERE payer <> 0 ORDER BY id DESC LIMIT 1"
  case lastEvent = "SELECT id, at FROM events ORDER BY id DESC LIMIT 1"
}
