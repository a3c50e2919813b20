package import AuthAccounts
package import AuthCore
import TextFormat

extension Rules {
  package func sessions(
    _ page: SessionsPage = SessionsPage(), token: SessionToken
  ) throws(BackendError) -> [SessionSummary] {
    try reading(token, Operations.sessions.needs) { (db, own) throws(BackendError) in
      var (cursor, found) = (page.after, [SessionSummary]())
      while found.count < page.limit {
        let rows = try db.all(
          SessionSelection.page, own.account, cursor?.createdAt.microseconds ?? .max,
          cursor?.id.rawValue.bound ?? .text(""),
          SessionBounds.page
        ) { (row) throws(BackendError) -> (session: SessionRow, origin: SessionOrigin) in (try row[0], try row[18]) }
        let origins = Dictionary(uniqueKeysWithValues: rows.map { ($0.session.id, $0.origin) })
        found += try db.withinLimits(rows.map(\.session), of: own.account).map { session in
          SessionSummary(
            id: session.id, isCurrent: session.id == own.id, label: session.label,
            origin: origins[session.id].flatMap { $0.isEmpty ? nil : $0 },
            createdAt: session.createdAt, activeAt: session.activeAt, limits: session.limits)
        }
        guard rows.count == SessionBounds.page, let last = rows.last?.session else { break }
        cursor = SessionsPage.Cursor(createdAt: last.createdAt, id: last.id)
      }
      return Array(found.prefix(max(0, page.limit)))
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

  package func endAllSessions(token: SessionToken) throws(BackendError) -> Int {
    try writing(token, Operations.endAllSessions.needs, .everything, asActivity: false) {
      (db, own) throws(BackendError) in try db.endAll(of: own.account, because: .userAsked, by: own.account)
    }
  }
}
