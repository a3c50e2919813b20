package import AuthAccounts
package import AuthCore

/// The requests of operators, which need no session; each logs an event without an actor.
///
/// They are not among ``Operations``, so no client of the service can send one.
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
      let account = try db.create(name, shown, .administrator, passwordHash: hash)
      try db.run(AccountQuery.setRegistration, true)
      try db.record(.userCreated, account: account.id, detail: account.user.role.rawValue)
      try db.record(.administered, account: nil, detail: "registration \(Registration.closed.rawValue)")
      return account.user
    }
  }

  /// Ends every session of a user.
  ///
  /// - Returns: How many were active.
  package func endSessions(of name: Username) throws(BackendError) -> Int {
    try database.write(.everything) { (db) throws(BackendError) in
      try db.endAll(of: try db.existing(name).id, because: .revoked, by: nil)
    }
  }

  /// Turns the second step of a user off who lost the device and all codes.
  package func endTwoStep(of name: Username) throws(BackendError) {
    try database.write(.everything) { (db) throws(BackendError) in
      let account = try db.existing(name)
      guard account.hasSecondStep else { throw .refused(.twoStepNotOn) }
      try db.run(TwoStepQuery.turnOff, account.id)
      try db.run(ChallengeQuery.closeAll, account.id)
      try db.record(.twoStepOff, account: account.id, detail: "operator")
    }
  }

  /// Ends all sessions and voids all codes, which may have ended or been used since a backup was
  /// made, skips the receipt numbers that may have been given since, and lists what only a person
  /// can check.
  ///
  /// The backup does not know how many payments came after its last one, so as many are assumed as
  /// no database can make in the time that has passed: 10,000 a second.
  package func cleanUpAfterRestore() throws(BackendError) -> RestoreReport {
    try database.write(.everything) { (db) throws(BackendError) in
      func names(_ query: OperatorQuery) throws(BackendError) -> RestoreReport.Names {
        let rows = try db.all(query, RestoreReport.Names.limit) {
          (row) throws(BackendError) -> (name: String, count: Int) in (try row[0], try row[1])
        }
        return RestoreReport.Names(first: rows.map(\.name), count: rows.first?.count ?? 0)
      }
      let lastEvent: RestoreReport.Moment? = try db.first(OperatorQuery.lastEvent)
      let sessions = try db.changes(of: OperatorQuery.endEverySession, EndReason.revoked, db.wallTime)
      let codes = try db.changes(of: OperatorQuery.voidEveryCode)
      try db.run(OperatorQuery.closeEveryChallenge)
      let last: RestoreReport.Moment? = try db.first(OperatorQuery.lastTransfer)
      let passed = last.map { (db.wallTime.microseconds &- $0.at.microseconds).magnitude } ?? 0
      let skipped = try db.skipReceipts(through: (last?.id ?? 0) &+ Int64(clamping: passed / 100))
      try db.record(
        .administered, account: nil,
        detail: "after a restore: \(sessions) sessions ended, \(codes) codes voided, receipts after \(skipped)")
      return RestoreReport(
        sessions: sessions, codes: codes, administrators: try names(.administrators), disabled: try names(.disabled),
        withTwoStep: try names(.withTwoStep), lastPayment: try db.first(OperatorQuery.lastPayment),
        nextReceipt: skipped &+ 1, lastEvent: lastEvent)
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
  /// Reserves the receipt numbers up to `$1`, so that new payments get higher ones.
  ///
  /// Only for SQLite, which has no sequences: PostgreSQL sets that of the receipts.
  case skipReceipts = """
    UPDATE authority SET receipts_through = CASE WHEN receipts_through > $1 THEN receipts_through ELSE $1 END
    WHERE id = 1 RETURNING receipts_through
    """
  case lastTransfer = "SELECT id, made_at FROM transfers ORDER BY id DESC LIMIT 1"
  case lastEvent = "SELECT id, at FROM events ORDER BY id DESC LIMIT 1"
}

/// What was done after a backup was restored, and what only a person can check.
package struct RestoreReport: Hashable, Sendable {
  /// How many sessions were ended.
  package let sessions: Int
  /// How many recovery and one-time codes were voided.
  package let codes: Int
  /// Those who were administrators when the backup was made.
  package let administrators: Names
  /// Those who were disabled then.
  package let disabled: Names
  /// Those who were asked for a code then.
  package let withTwoStep: Names
  /// The newest payment: later ones are gone, and their keys would pay again.
  package let lastPayment: Moment?
  /// The lowest number that a new payment gets.
  package let nextReceipt: Int64
  /// The newest event before this one.
  package let lastEvent: Moment?

  /// The first names of a list, and how many it has.
  package struct Names: Hashable, Sendable {
    /// How many are named, so that a report fits a frame of the service.
    package static let limit = 200
    package let first: [String]
    package let count: Int
  }

  /// A number, and when it was given.
  package struct Moment: Hashable, Sendable {
    package let id: Int64
    package let at: WallTime
  }
}

extension RestoreReport.Moment: RowDecodable {
  package init(_ row: Row) throws(BackendError) { self.init(id: try row[0], at: try row[1]) }
}
