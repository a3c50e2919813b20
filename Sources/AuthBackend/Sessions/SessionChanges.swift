import AuthCore
import AuthDevice
import TextFormat

extension Rules {
  /// Begins a session, and deletes up to 16 old ones.
  func begin(
    _ new: NewSession, account: AccountRow, limits: LimitRequest, at now: BootInstant, in db: any Transaction
  ) throws(BackendError) -> Grant {
    let spans = SessionSpans(policy, limits)
    let uptime = now.uptime.wholeNanoseconds
    let wall = db.wallTime.microseconds
    // Most logins find nothing to delete, and this question is prepared sooner than the deletion.
    if try db.first(SessionQuery.isAnyOld, .integer(wall), read: { _ in true }) != nil {
      try db.run(SessionQuery.purge, .integer(wall), .blob(now.boot.bytes), .integer(uptime))
    }
    let id = SessionID(rawValue: try Secrets.randomName(length: 12))
    let terms = SessionTerms(
      active: uptime, idleSpan: spans.idle, absoluteUntil: uptime.clampedSum(spans.absolute),
      freshUntil: uptime.clampedSum(min(spans.fresh, spans.absolute)))
    try db.run(
      SessionQuery.insert, .blob(SHA256.hash(new.token.bytes)), .text(id.rawValue), .integer(account.id),
      .text(new.label),
      .blob(now.boot.bytes), .integer(terms.active), .integer(terms.idleSpan), .integer(terms.absoluteUntil),
      .integer(terms.freshUntil), .integer(wall), .integer(wall), .integer(Self.purgeTime(spans, from: wall)),
      .integer(spans.absolute), .text(new.origin?.terminal), .text(new.origin?.program),
      .text(new.origin?.host))
    return Grant(id: id, user: account.user, token: new.token, limits: terms.limits(in: now.boot))
  }

  /// Issues a new token with new limits for an active session: the requested ones, or else as long
  /// as before.
  ///
  /// The present token works until the new one is confirmed or used, so that a crash before the new
  /// one is kept loses nothing.
  func issue(
    _ token: SessionToken, for session: SessionRow, limits: LimitRequest, at now: BootInstant,
    in db: any Transaction
  ) throws(BackendError) -> Grant {
    let hash = SHA256.hash(token.bytes)
    // The answer to this request was lost, and it is repeated.
    if case .pending(let issued, _) = try find(hash: hash, at: now, in: db), issued.id == session.id {
      return issued.grant(token: token)
    }
    let own = LimitRequest(
      idle: limits.idle ?? .nanoseconds(session.terms.idleSpan),
      absolute: limits.absolute ?? session.absoluteSpan.map { .nanoseconds($0) })
    let spans = SessionSpans(policy, own)
    let uptime = now.uptime.wholeNanoseconds
    let wall = db.wallTime.microseconds
    try db.run(
      SessionQuery.issue, .blob(hash), .text(session.id.rawValue), .integer(uptime),
      .integer(spans.idle), .integer(uptime.clampedSum(spans.absolute)),
      .integer(uptime.clampedSum(min(spans.fresh, spans.absolute))), .integer(wall),
      .integer(Self.purgeTime(spans, from: wall)), .integer(spans.absolute))
    guard case .pending(let issued, _) = try find(hash: hash, at: now, in: db) else {
      throw db.damaged("a token that was just issued is not there")
    }
    return issued.grant(token: token)
  }

  /// Lets an issued token take the place of the session's present one, which is dead from then on.
  func promote(_ hash: [UInt8], of session: SessionRow, in db: any Transaction) throws(BackendError) -> SessionRow {
    try db.run(SessionQuery.promote, .blob(hash))
    try db.run(SessionQuery.leaveOthers, .blob(hash))
    try db.run(SessionQuery.supersedeOthers, .text(session.id.rawValue))
    try db.run(SessionQuery.supersede, .blob(session.tokenHash), .text(session.id.rawValue))
    return try stored(.blob(hash), in: db)
  }

  /// Marks a session as ended and records why.
  func end(
    _ session: SessionRow, because reason: EndReason, by actor: Int64? = nil, in db: any Transaction
  ) throws(BackendError) {
    try db.run(
      SessionQuery.end, .text(reason.code), .integer(db.wallTime.microseconds), .blob(session.tokenHash))
    let name: EventName
    switch reason {
    case .expired, .rebooted: name = .sessionExpired
    case .userAsked, .revoked, .accountDisabled, .accountDeleted, .switchedUser, .storeReleased: name = .sessionEnded
    }
    try record(name, account: session.account, actor: actor, session: session.id, detail: reason.code, in: db)
  }

  /// Ends every active session of an account except one.
  ///
  /// - Returns: How many.
  func endAll(
    of account: Int64, except kept: SessionID?, because reason: EndReason, by actor: Int64?, at now: BootInstant,
    in db: any Transaction
  ) throws(BackendError) -> Int {
    let sessions = try liveSessions(of: account, at: now, in: db).filter { $0.id != kept }
    for session in sessions { try end(session, because: reason, by: actor, in: db) }
    return sessions.count
  }

  /// The live sessions of an account, the newest first.
  func liveSessions(of account: Int64, at now: BootInstant, in db: any Transaction) throws(BackendError) -> [SessionRow]
  {
    let sessions = try db.all(SessionQuery.ofAccount, .integer(account)) { (row) throws(BackendError) in
      try SessionRow(row, in: db)
    }
    var live: [SessionRow] = []
    for session in sessions { if let session = try within(limits: session, at: now, in: db) { live.append(session) } }
    return live.sorted { ($0.createdAt, $0.id.rawValue) > ($1.createdAt, $1.id.rawValue) }
  }

  /// A session that has not reached its limits, or nil.
  ///
  /// A token that was issued and not used yet opens it as well, and may have later limits than the
  /// one that is in use.
  func within(limits session: SessionRow, at now: BootInstant, in db: any Transaction) throws(BackendError)
    -> SessionRow?
  {
    if session.limits.endReason(at: now) == nil { return session }
    return try db.all(SessionQuery.issued, .text(session.id.rawValue)) { OtherToken($0) }
      .compactMap { $0.terms.map(session.with) }
      .first { $0.limits.endReason(at: now) == nil }
  }

  /// Moves the idle limit of an active session, unless it was moved recently.
  ///
  /// - Returns: Whether it was moved.
  @discardableResult
  func touch(_ session: SessionRow, at now: BootInstant, in db: any Transaction) throws(BackendError) -> Bool {
    guard session.terms.isStale(at: now) else { return false }
    try db.run(
      SessionQuery.touch, .integer(now.uptime.wholeNanoseconds), .integer(db.wallTime.microseconds),
      .blob(session.tokenHash))
    return true
  }

  private func stored(_ hash: SQLValue, in db: any Transaction) throws(BackendError) -> SessionRow {
    let row = try db.first(SessionQuery.byToken, hash) { (row) throws(BackendError) in try SessionRow(row, in: db) }
    guard let row else { throw db.damaged("a session that was just written is not there") }
    return row
  }

  private static func purgeTime(_ spans: SessionSpans, from wall: Int64) -> Int64 {
    wall.clampedSum(spans.absolute / 1000).clampedSum(SessionPolicy.remembered)
  }
}
