import AuthAccounts
import AuthCore

/// What a right answer to a challenge continues: a login, or the reauthentication of a session.
struct StepRequest: Sendable {
  /// The hash of the token of the session whose password was checked; nil for a login.
  let session: [UInt8]?
  let limits: LimitRequest
}

/// The stored row of a challenge: a right password that waits for its code.
struct OpenChallenge: Sendable, RowDecodable {
  let account: Int64
  /// The hash that the password matched: a new password ends the challenge.
  let passwordHash: String
  /// A hash of higher cost, which is stored when the code is right too.
  let newHash: String?
  let request: StepRequest
  let triesLeft: Int
  private let end: BootInstant

  /// Reads the columns of ``ChallengeQuery/find``.
  init(_ row: Row) throws(BackendError) {
    (account, passwordHash, newHash) = (try row[0], try row[1], try row[2])
    request = StepRequest(session: try row[3], limits: LimitRequest(idle: try row[4], absolute: try row[5]))
    (triesLeft, end) = (try row[6], try row[7])
  }

  /// Whether it takes an answer; one of a clock that was ahead takes none.
  func isOpen(at now: BootInstant) -> Bool {
    end.boot == now.boot && now.uptime < end.uptime && triesLeft > 0
      && end.uptime - now.uptime <= TwoStepRules.time + SessionPolicy.clockTolerance
  }

  /// The challenge as its holder sees it.
  func challenge(_ token: SessionToken) -> Challenge {
    Challenge(token: token, question: .code(digits: TOTP.digits), triesLeft: triesLeft, deadline: .at(end))
  }
}

package enum ChallengeQuery: String, Query {
  case find = """
    SELECT account, password_hash, new_hash, session, idle_span, absolute_span, tries_left, boot, until
    FROM challenges WHERE token_hash = $1
    """
  case open = """
    INSERT INTO challenges(token_hash, account, password_hash, new_hash, session, idle_span, absolute_span, tries_left,
      boot, until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    """
  case takeTry = "UPDATE challenges SET tries_left = tries_left - 1 WHERE token_hash = $1"
  case close = "DELETE FROM challenges WHERE token_hash = $1"
  case closeAll = "DELETE FROM challenges WHERE account = $1"
  /// Deletes ended challenges, and all but the newest of the others.
  case evict = """
    DELETE FROM challenges WHERE account = $1 AND (boot <> $2 OR until <= $3 OR token_hash IN
      (SELECT token_hash FROM challenges WHERE account = $1 ORDER BY until DESC LIMIT 64 OFFSET $4))
    """
}

/// The limits of challenges.
package enum TwoStepRules {
  /// How many answers to one challenge are checked.
  package static let tries = 3
  /// How many challenges of an account are open at most; a newer one ends the oldest.
  package static let openChallenges = 16
  /// How long a challenge takes an answer.
  package static let time: Duration = .seconds(300)
}
