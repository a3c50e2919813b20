package import AuthCore
import TextFormat

extension Rules {
  /// The live sessions of the session's user, newest first.
  package func sessions(
    _ page: SessionsPage = SessionsPage(), token: SessionToken
  ) throws(BackendError) -> [SessionSummary] {
    try reading(token) { (db, own, now) throws(BackendError) in
      var summaries: [SessionSummary] = []
      let live = try liveSessions(of: own.account, at: now, in: db)
      for session in live.filter({ $0.isIn(page) }).prefix(page.limit) {
        let origin = try db.first(SessionQuery.origin, .blob(session.tokenHash)) { SessionOrigin(stored: $0) }
        summaries.append(
          SessionSummary(
            id: session.id, isCurrent: session.id == own.id, label: session.label, origin: origin ?? nil,
            createdAt: session.createdAt, activeAt: session.activeAt, limits: session.limits))
      }
      return summaries
    }
  }

  /// Ends a session of the session's own user.
  ///
  /// The session of another user and one that is over get the same answer: there is none of that
  /// name.
  package func revokeSession(_ id: SessionID, token: SessionToken) throws(BackendError) {
    try writing(token, .everything) { (db, own, now) throws(BackendError) in
      try requireFresh(own, at: now)
      let found = try db.first(SessionQuery.byID, .text(id.rawValue)) { (row) throws(BackendError) in
        try SessionRow(row, in: db)
      }
      guard let found, found.account == own.account, found.marked == nil,
        try within(limits: found, at: now, in: db) != nil
      else {
        throw .refused(.sessionNotFound, id.rawValue.escaped)
      }
      try end(found, because: .revoked, by: own.account, in: db)
    }
  }

  /// Ends every session of the session's user, this one too.
  ///
  /// - Returns: How many were live.
  package func endAllSessions(token: SessionToken) throws(BackendError) -> Int {
    try writing(token, .everything, asActivity: false, beforeTwoStep: true) { (db, own, now) throws(BackendError) in
      try endAll(of: own.account, except: nil, because: .userAsked, by: own.account, at: now, in: db)
    }
  }
}

extension SessionRow {
  fileprivate func isIn(_ page: SessionsPage) -> Bool {
    guard let place = page.after else { return true }
    return (createdAt, id.rawValue) < (place.createdAt, place.id.rawValue)
  }
}

extension SessionOrigin {
  /// Reads terminal, program and host from three columns; nil where nothing is known.
  fileprivate init?(stored row: Row) {
    if row.isNull(0), row.isNull(1), row.isNull(2) { return nil }
    self.init(terminal: row.optionalText(0), program: row.optionalText(1), host: row.optionalText(2))
  }
}
