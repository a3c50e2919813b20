import AuthAccounts
import AuthCore

/// The session that a token belongs to, and its state.
enum SessionFinding {
  case live(SessionRow)
  /// A token that was issued and not used yet, with the limits that it brings, and its hash.
  case pending(SessionRow, [UInt8])
  case ended(SessionRow, EndReason)
  case superseded(SessionRow)
  case unknown

  /// Refuses a token that its caller offers as new and that had a session before.
  func requireUnused() throws(BackendError) {
    switch self {
    case .unknown: return
    case .live, .pending, .ended, .superseded: throw .session(.ended(.revoked))
    }
  }

  /// The active session; throws why there is none.
  ///
  /// An unknown token was forgotten after its absolute limit, or was never issued.
  func active() throws(BackendError) -> SessionRow {
    switch self {
    case .live(let session), .pending(let session, _): return session
    case .ended(_, let reason): throw .session(.ended(reason))
    case .superseded: throw .session(.superseded)
    case .unknown: throw .session(.ended(.revoked))
    }
  }
}

extension Transaction {
  /// Looks up a token, without changing anything.
  ///
  /// - Throws: ``BackendError`` of kind `unavailable` (`session_of_other_database`) for the token
  ///   of another database.
  func find(_ token: SessionToken) throws(BackendError) -> SessionFinding {
    let finding = try find(token.digest)
    // A token that is known needs no comparison, so that an active session costs one read.
    if case .unknown = finding { try requireOwn(token) }
    return finding
  }

  /// Looks up a token by its hash, without changing anything.
  ///
  /// An active session costs one indexed read.
  func find(_ hash: [UInt8]) throws(BackendError) -> SessionFinding {
    func over(_ session: SessionRow, or finding: SessionFinding) throws(BackendError) -> SessionFinding {
      session.end(at: try now()).map { .ended(session, $0) } ?? finding
    }
    if let session: SessionRow = try first(SessionSelection.byToken, hash) {
      return try over(session, or: .live(session))
    }
    guard let other: OtherToken = try first(SessionQuery.otherToken, hash),
      let session: SessionRow = try first(SessionSelection.byID, other.session)
    else { return .unknown }
    guard let terms = other.terms else { return try over(session, or: .superseded(session)) }
    let renewed = session.with(terms)
    return try over(renewed, or: .pending(renewed, hash))
  }

  /// The active session of a token.
  ///
  /// It needs a writing transaction, because the first use of an issued token makes it the current
  /// one.
  func activeSession(_ hash: [UInt8]) throws(BackendError) -> SessionRow { try activeSession(try find(hash)) }

  /// The active session of a token of this database.
  func activeSession(_ token: SessionToken) throws(BackendError) -> SessionRow { try activeSession(try find(token)) }

  fileprivate func activeSession(_ finding: SessionFinding) throws(BackendError) -> SessionRow {
    if case .pending(let session, let hash) = finding { return try promote(hash, of: session) }
    return try finding.active()
  }

  func requireFresh(_ session: SessionRow) throws(BackendError) {
    guard session.limits.isFresh(at: try now()) else { throw .notFresh }
  }
}

extension SessionNeeds {
  fileprivate func check(_ own: SessionRow, in db: any Transaction) throws(BackendError) {
    if !beforeTwoStep { try db.requireTwoStep(of: own) }
    if role != nil, own.user.role != .administrator { throw .notPermitted }
    if isFresh { try db.requireFresh(own) }
  }
}

extension Rules {
  /// Runs `body` for the active session of a token, on one snapshot of the data.
  ///
  /// The first use of an issued token writes, and then `body` runs in that transaction; rules that
  /// only read leave that to a later use.
  func reading<Result: Sendable>(
    _ token: SessionToken, _ needs: SessionNeeds?,
    _ body: (any Transaction, SessionRow) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let (hash, needs) = (token.digest, needs ?? .active)
    let result = try noting(hash, needs.role) { () throws(BackendError) -> Result? in
      try database.read { (db) throws(BackendError) -> Result? in
        let finding = try db.find(token)
        if case .pending = finding, !onlyReads { return nil }
        let own = try finding.active()
        try needs.check(own, in: db)
        return try body(db, own)
      }
    }
    if let result { return result }
    return try writing(token, needs, asActivity: false, body)
  }

  /// Runs `body` for the active session of a token, in one transaction with the check that it is
  /// active.
  ///
  /// The session is checked before a change of everything locks out all other writes, and again
  /// after, so a refused request holds up nobody.
  ///
  /// - Parameters:
  ///   - token: The session's token.
  ///   - needs: What `body` needs of the session.
  ///   - scope: What `body` decides about.
  ///   - asActivity: Whether success moves the idle limit.
  ///   - refusal: Throws what `body` would refuse, where `body` decides about everything.
  ///   - body: Runs with the session.
  /// - Returns: What `body` returns.
  /// - Throws: ``BackendError`` of kind `session` when it is not live, and what `body` throws,
  ///   which undoes its changes.
  func writing<Result: Sendable>(
    _ token: SessionToken, _ needs: SessionNeeds?, _ scope: WriteScope = .rows,
    asActivity: Bool = true,
    refusing refusal: (any Transaction, SessionRow) throws(BackendError) -> Void = { (_, _) throws(BackendError) in },
    _ body: (any Transaction, SessionRow) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let (hash, needs) = (token.digest, needs ?? .active)
    if scope != .rows { try reading(token, needs, refusal) }
    return try noting(hash, needs.role) { () throws(BackendError) in
      let (result, account) = try database.write(scope) { (db) throws(BackendError) -> (Result, Int64) in
        try db.lock(.session(hash))
        let own = try db.activeSession(token)
        try needs.check(own, in: db)
        if asActivity { try rates?.require(own.account) }
        let result = try body(db, own)
        if asActivity { try db.touch(own) }
        return (result, own.account)
      }
      if asActivity { rates?.count(account) }
      return result
    }
  }

  /// Runs `body`, and logs the use of an ended session or the refusal of an administrator's
  /// operation; rules that only read log nothing.
  func noting<Result>(
    _ hash: @autoclosure () -> [UInt8]?, _ role: String? = nil, during body: () throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      if onlyReads { throw error }
      let refused = error.kind == .notPermitted ? role : nil
      // It is refused even when the event cannot be written: a full disk must not turn "logged out"
      // into "cannot tell".
      if let refused, let hash = hash() {
        if let more = refusals.counted(hash) {
          try? note(hash, refused: refused, more)
        }
      } else if error.kind.rejection != nil, let hash = hash() {
        try? noteRejectedUse(of: hash)
      }
      throw error
    }
  }

  /// Records the use of a token that is not valid, or an expiry that is seen for the first time,
  /// unless that happened too often: anyone can invent tokens, and each event is a write.
  private func noteRejectedUse(of hash: [UInt8]) throws(BackendError) {
    let isUnknown = try database.read { (db) throws(BackendError) in
      if case .unknown = try db.find(hash) { return true }
      return false
    }
    // All unknown tokens count together.
    guard let more = uses.counted(isUnknown ? [] : hash) else { return }
    try note(hash, refused: nil, more)
  }

  /// Records what a session was refused, the use of a token that is no longer valid, or an expiry
  /// that is seen for the first time.
  private func note(_ hash: [UInt8], refused role: String?, _ more: Int) throws(BackendError) {
    let omitted = more > 0 ? "and \(more) more since the last event" : nil
    try database.write(.rows) { (db) throws(BackendError) in
      try db.lock(.session(hash))
      switch try db.find(hash) {
      case .live, .pending:
        let detail = role.map { $0 + (omitted.map { " (\($0))" } ?? "") }
        if let detail { try db.record(.authorizationFailed, by: try db.activeSession(hash), detail: detail) }
      case .ended(let session, let reason) where session.marked == nil: try db.end(session, because: reason)
      case .ended(let session, let reason): try db.noteUse(of: session, .sessionUsedAfterEnd, reason.code)
      case .superseded(let session): try db.noteUse(of: session, .tokenReused, "superseded")
      case .unknown: try db.record(.sessionUnknown, account: nil, detail: omitted)
      }
    }
  }
}

extension Transaction {
  fileprivate func noteUse(of session: SessionRow, _ name: EventName, _ detail: String) throws(BackendError) {
    guard session.usesAfterEnd < SessionPolicy.notedUsesAfterEnd else { return }
    try run(SessionQuery.noteUse, session.tokenHash)
    try record(name, account: session.account, session: session.id, detail: detail)
  }
}
