package import AuthCore
import TextFormat

extension Rules {
  /// The live sessions of the session's user, newest first.
  package func sessions(
    _ page: SessionsPage = SessionsPage(), token: SessionToken
  ) throws(BackendError) -> [SessionSummary] {
    try reading(token) { (db, own) throws(BackendError) in
      let sessions = try db.liveSessions(of: own.account).filter { $0.isIn(page) }.prefix(page.limit)
      return try sessions.map { (session) throws(BackendError) in
        SessionSummary(
          id: session.id, isCurrent: session.id == own.id, label: session.label,
          origin: try db.first(SessionQuery.origin, session.tokenHash),
          createdAt: session.createdAt, activeAt: session.activeAt, limits: session.limits)
      }
    }
  }

  /// Ends a session of the session's own user.
  ///
  /// The session of another user and one that is over get the same answer: there is none of that
  /// name.
  package func revokeSession(_ id: SessionID, token: SessionToken) throws(BackendError) {
    func found(_ db: any Transaction, _ own: SessionRow) throws(BackendError) -> SessionRow {
      guard let found: SessionRow = try db.first(SessionSelection.byID, id), found.account == own.account,
        found.marked == nil, try db.withinLimits(found) != nil
      else { throw .refused(.sessionNotFound, id.rawValue.escaped) }
      return found
    }
    try writing(
      token, Operations.revokeSession.needs, .everything,
      refusing: { (db, own) throws(BackendError) in _ = try found(db, own) }
    ) { (db, own) throws(BackendError) in try db.end(try found(db, own), because: .revoked, by: own.account) }
  }

  /// Ends every session of the session's user, this one too.
  ///
  /// - Returns: How many were live.
  package func endAllSessions(token: SessionToken) throws(BackendError) -> Int {
    try writing(token, Operations.endAllSessions.needs, .everything, asActivity: false) {
      (db, own) throws(BackendError) in try db.endAll(of: own.account, because: .userAsked, by: own.account)
    }
  }
}

extension SessionRow {
  fileprivate func isIn(_ page: SessionsPage) -> Bool {
    guard let place = page.after else { return true }
    return (createdAt, id.rawValue) < (place.createdAt, place.id.rawValue)
  }
}
