import AuthAccounts
import AuthCore

/// How many rows the sessions of one account have at most, so that what reads or ends all of them
/// holds up nobody.
package enum SessionBounds {
  /// Sessions that are not marked as ended; a login ends the oldest ones beyond this.
  package static let live = 100
  /// Ended sessions that are kept so that their users can learn why they ended.
  package static let ended = 100
  /// Tokens of a session besides its current one: issued and not used, or superseded.
  package static let otherTokens = 8
  /// How many sessions a list reads at once.
  static let page = 50
}

extension Rules {
  /// Ends the oldest sessions of an account that has too many, and deletes its oldest ended ones.
  ///
  /// It runs after a login has committed, and ends each session in a transaction of its own: so no
  /// transaction waits for a session while it holds the lock of the account. What fails here, the
  /// next login does.
  ///
  /// - Parameters:
  ///   - account: The account; nil for none.
  ///   - new: The session that has just begun, which stays.
  func endSurplus(of account: Int64?, besides new: SessionID) {
    guard let account else { return }
    do throws(BackendError) {
      let (live, hasEnded) = try database.read { (db) throws(BackendError) -> ([[UInt8]], Bool) in
        (
          try db.all(SessionQuery.surplus, account, new, SessionBounds.live - 1),
          try db.has(SessionQuery.hasEndedSurplus, account, SessionBounds.ended)
        )
      }
      for hash in live {
        try database.write(.rows) { (db) throws(BackendError) in
          try db.lock(.session(hash))
          // It may have ended meanwhile, or got a new token.
          guard let session: SessionRow = try db.first(SessionSelection.byToken, hash), session.marked == nil else {
            return
          }
          if try db.withinLimits(session) != nil {
            try db.end(session, because: .revoked, more: ", the oldest of more than \(SessionBounds.live)")
          } else {
            try db.end(session, because: session.end(at: try db.now()) ?? .revoked)
          }
        }
      }
      if hasEnded || !live.isEmpty {
        try database.write(.rows) { (db) throws(BackendError) in
          try db.run(SessionQuery.deleteEndedSurplus, account, SessionBounds.ended)
        }
      }
    } catch {}
  }
}
