package import AuthBackend
package import AuthCore

extension LocalAuthority {
  /// The live sessions of the session's user, newest first.
  package func sessions(token: SessionToken) throws(BackendError) -> [SessionSummary] {
    try reading(token) { (db, own, now) throws(BackendError) in
      try liveSessions(of: own.account, at: now, in: db).map {
        SessionSummary(
          id: $0.id, isCurrent: $0.id == own.id, label: $0.label, createdAt: $0.createdAt, activeAt: $0.activeAt,
          limits: $0.limits)
      }
    }
  }

  /// Ends a session of the session's own user.
  ///
  /// The session of another user and one that is over get the same answer: there is none of that
  /// name.
  package func revokeSession(_ id: SessionID, token: SessionToken) throws(BackendError) {
    try writing(token) { (db, own, now) throws(BackendError) in
      try requireFresh(own, at: now)
      let found = try db.first(SessionQuery.byID, .text(id.rawValue)) { (row) throws(BackendError) in
        try SessionRow(row, in: db)
      }
      guard let found, found.account == own.account, found.marked == nil,
        try within(limits: found, at: now, in: db) != nil
      else {
        throw .sessionNotFound(id)
      }
      try end(found, because: .revoked, by: own.account, in: db)
    }
  }

  /// Ends every session of the session's user, this one too.
  ///
  /// - Returns: How many were live.
  package func endAllSessions(token: SessionToken) throws(BackendError) -> Int {
    try writing(token, asActivity: false) { (db, own, now) throws(BackendError) in
      try endAll(of: own.account, except: nil, because: .userAsked, by: own.account, at: now, in: db)
    }
  }
}
