import AuthCore
import TextFormat

/// The session that a token belongs to, and its state.
enum SessionFinding {
  case live(SessionRow)
  /// A token that was issued and not used yet, with the limits that it brings, and its hash.
  case pending(SessionRow, [UInt8])
  case ended(SessionRow, EndReason)
  case superseded(SessionRow)
  case unknown
}

extension Rules {
  /// Looks up a token without changing anything.
  ///
  /// An active session costs one indexed read.
  func find(hash: [UInt8], at now: BootInstant, in db: any Transaction) throws(BackendError) -> SessionFinding {
    func read(_ row: Row) throws(BackendError) -> SessionRow { try SessionRow(row, in: db) }
    if let session = try db.first(SessionQuery.byToken, .blob(hash), read: read) {
      return session.end(at: now).map { .ended(session, $0) } ?? .live(session)
    }
    guard let other = try db.first(SessionQuery.otherToken, .blob(hash), read: { OtherToken($0) }),
      let session = try db.first(SessionQuery.byID, .text(other.session), read: read)
    else { return .unknown }
    guard let terms = other.terms else {
      return session.end(at: now).map { .ended(session, $0) } ?? .superseded(session)
    }
    let renewed = session.with(terms)
    return renewed.end(at: now).map { .ended(renewed, $0) } ?? .pending(renewed, hash)
  }

  /// The active session of a token.
  ///
  /// It needs a writing transaction, because the first use of an issued token makes it the current
  /// one.
  ///
  /// An unknown token was forgotten after its absolute limit, or was never issued.
  func claim(hash: [UInt8], at now: BootInstant, in db: any Transaction) throws(BackendError) -> SessionRow {
    try claim(try find(hash: hash, at: now, in: db), in: db)
  }

  private func claim(_ finding: SessionFinding, in db: any Transaction) throws(BackendError) -> SessionRow {
    switch finding {
    case .live(let session): return session
    case .pending(let session, let hash): return try promote(hash, of: session, in: db)
    case .ended(_, let reason): throw .session(.ended(reason))
    case .superseded: throw .session(.superseded)
    case .unknown: throw .session(.ended(.revoked))
    }
  }

  /// Runs `body` for the active session of a token, on one snapshot of the data.
  ///
  /// The first use of an issued token writes, and then `body` runs in that transaction.
  ///
  /// `beforeTwoStep` is for what a user may do who must set up a second step first.
  func reading<Result: Sendable>(
    _ token: SessionToken, beforeTwoStep: Bool = false,
    _ body: (any Transaction, SessionRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let hash = SHA256.hash(token.bytes)
    let result = try noting(hash) { () throws(BackendError) -> Result? in
      try database.read { (db) throws(BackendError) -> Result? in
        let now = try db.now()
        let finding = try find(hash: hash, at: now, in: db)
        if case .pending = finding { return nil }
        let session = try claim(finding, in: db)
        if !beforeTwoStep { try requireTwoStep(of: session, in: db) }
        return try body(db, session, now)
      }
    }
    if let result { return result }
    return try writing(token, asActivity: false, beforeTwoStep: beforeTwoStep, body)
  }

  /// Runs `body` for the active session of a token, in one transaction with the check that it is
  /// active.
  ///
  /// - Parameters:
  ///   - token: The session's token.
  ///   - scope: What `body` decides about.
  ///   - asActivity: Whether success moves the idle limit.
  ///   - beforeTwoStep: Whether a user may do it who must set up a second step first.
  ///   - queries: What `body` runs; prepared before others have to wait.
  ///   - body: Runs with the session and the present instant.
  /// - Returns: What `body` returns.
  /// - Throws: ``BackendError`` of kind `session` when it is not live, and what `body` throws,
  ///   which undoes its changes.
  func writing<Result: Sendable>(
    _ token: SessionToken, _ scope: WriteScope = .rows, asActivity: Bool = true, beforeTwoStep: Bool = false,
    preparing queries: [String] = [],
    _ body: (any Transaction, SessionRow, BootInstant) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    let hash = SHA256.hash(token.bytes)
    return try noting(hash) { () throws(BackendError) in
      try database.write(scope, preparing: queries) { (db) throws(BackendError) in
        try db.lock(.session(hash))
        let now = try db.now()
        let session = try claim(hash: hash, at: now, in: db)
        if !beforeTwoStep { try requireTwoStep(of: session, in: db) }
        let result = try body(db, session, now)
        if asActivity { try touch(session, at: now, in: db) }
        return result
      }
    }
  }

  /// Runs `body`, and records the use of a session that is over.
  func noting<Result>(
    _ hash: @autoclosure () -> [UInt8]?, during body: () throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      // The session is refused even when the event cannot be written: a full disk must not turn
      // "logged out" into "cannot tell".
      if case .session = error.kind, let hash = hash() { try? noteUse(of: hash) }
      throw error
    }
  }

  /// Records the use of a token that is no longer valid, and an expiry that is seen for the first
  /// time.
  private func noteUse(of hash: [UInt8]) throws(BackendError) {
    try database.write(.rows) { (db) throws(BackendError) in
      try db.lock(.session(hash))
      switch try find(hash: hash, at: try db.now(), in: db) {
      case .live, .pending: break
      case .ended(let session, let reason) where session.marked == nil:
        try end(session, because: reason, in: db)
      case .ended(let session, let reason):
        try noteUse(of: session, .sessionUsedAfterEnd, reason.code, in: db)
      case .superseded(let session):
        try noteUse(of: session, .tokenReused, "superseded", in: db)
      case .unknown:
        try record(.sessionUnknown, account: nil, in: db)
      }
    }
  }

  private func noteUse(
    of session: SessionRow, _ name: EventName, _ detail: String, in db: any Transaction
  ) throws(BackendError) {
    guard session.usesAfterEnd < SessionPolicy.notedUsesAfterEnd else { return }
    try db.run(SessionQuery.noteUse, .blob(session.tokenHash))
    try record(name, account: session.account, session: session.id, detail: detail, in: db)
  }
}
