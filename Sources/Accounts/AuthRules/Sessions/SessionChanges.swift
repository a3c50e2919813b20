import AuthAccounts
import AuthCore

extension Rules {
  /// Begins a session, and deletes up to 16 old ones.
  func begin(
    _ new: NewSession, for account: AccountRow, _ limits: LimitRequest, in db: any Transaction
  ) throws(BackendError) -> Grant {
    let (now, wall) = (try db.now(), db.wallTime)
    // Most logins find nothing to delete, and this question is prepared sooner than the deletion.
    if try db.has(SessionQuery.isAnyOld, wall) {
      try db.run(SessionQuery.purge, wall, now.boot, now.uptime)
    }
    let id = SessionID(rawValue: try Secrets.randomName(length: 12))
    let policy = policy.limited(to: limits)
    let terms = SessionTerms(policy, from: now)
    try db.run(
      SessionQuery.insert, new.token.digest, id, account.id, new.label, now.boot, terms.active, terms.idleSpan,
      terms.absoluteUntil, terms.freshUntil, wall, wall, policy.purgeTime(from: wall), policy.absolute,
      new.origin?.terminal, new.origin?.program, new.origin?.host)
    return Grant(id: id, user: account.user, token: try named(new.token, in: db), limits: terms.limits(in: now.boot))
  }

  /// Issues a new token with new limits for an active session: the requested ones, or else as long
  /// as before.
  ///
  /// The present token works until the new one is confirmed or used, so that a crash before the new
  /// one is kept loses nothing.
  func issue(
    _ token: SessionToken, for session: SessionRow, _ limits: LimitRequest, in db: any Transaction
  ) throws(BackendError) -> Grant {
    // The answer to this request was lost, and it is repeated.
    let known = try db.find(token)
    let named = try named(token, in: db)
    if case .pending(let issued, _) = known, issued.id == session.id { return issued.grant(named) }
    try known.requireUnused()
    let policy = policy.limited(
      to: LimitRequest(
        idle: limits.idle ?? session.terms.idleSpan, absolute: limits.absolute ?? session.absoluteSpan))
    let terms = SessionTerms(policy, from: try db.now())
    let wall = db.wallTime
    try db.run(
      SessionQuery.issue, token.digest, session.id, terms.active, terms.idleSpan, terms.absoluteUntil,
      terms.freshUntil, wall, policy.purgeTime(from: wall), policy.absolute)
    try db.run(SessionQuery.trimOthers, session.id, SessionBounds.otherTokens)
    return session.with(terms).grant(named)
  }
}

extension Transaction {
  /// Makes an issued token the current one of the session, whose earlier token is superseded.
  func promote(_ hash: [UInt8], of session: SessionRow) throws(BackendError) -> SessionRow {
    try run(SessionQuery.promote, hash)
    try run(SessionQuery.leaveOthers, hash)
    try run(SessionQuery.supersedeOthers, session.id)
    try run(SessionQuery.supersede, session.tokenHash, session.id)
    try run(SessionQuery.trimOthers, session.id, SessionBounds.otherTokens)
    return try one(SessionSelection.byToken, hash, else: "a session that was just written is not there")
  }

  /// Marks a session as ended and records why; the detail of the event is the code of the reason,
  /// and what else there is to say.
  func end(
    _ session: SessionRow, because reason: EndReason, by actor: Int64? = nil, more: String = ""
  ) throws(BackendError) {
    try run(SessionQuery.end, reason, wallTime, session.tokenHash)
    let name: EventName =
      switch reason.kind {
      case .expired, .rebooted: .sessionExpired
      case .userAsked, .revoked, .accountDisabled, .accountDeleted, .switchedUser, .interrupted,
        .storeReleased:
        .sessionEnded
      }
    try record(name, account: session.account, actor: actor, session: session.id, detail: reason.code + more)
  }

  /// Ends every session of an account except one.
  ///
  /// Those that have expired are marked with their own reason, unless the account is deleted: they
  /// would be active again if the clock was ahead and is set back.
  ///
  /// - Returns: How many were active.
  @discardableResult
  func endAll(
    of account: Int64, except kept: SessionID? = nil, because reason: EndReason, by actor: Int64?
  ) throws(BackendError) -> Int {
    let now = try now()
    let sessions: [SessionRow] = try all(SessionSelection.ofAccount, account).filter { $0.id != kept }
    let live = Set(try withinLimits(sessions, of: account).map(\.id))
    for session in sessions {
      if live.contains(session.id) {
        try end(session, because: reason, by: actor)
      } else {
        try end(session, because: reason == .accountDeleted ? reason : session.limits.endReason(at: now) ?? reason)
      }
    }
    return live.count
  }

  /// Those of the sessions of an account that have not reached their limits, in the same order.
  func withinLimits(_ sessions: [SessionRow], of account: Int64) throws(BackendError) -> [SessionRow] {
    let now = try now()
    if sessions.allSatisfy({ $0.limits.endReason(at: now) == nil }) { return sessions }
    let issued: [OtherToken] = try all(SessionQuery.issuedOfAccount, account)
    return sessions.compactMap { session in
      let terms = [session.terms] + issued.filter { $0.session == session.id }.compactMap(\.terms)
      return terms.map(session.with).first { $0.limits.endReason(at: now) == nil }
    }
  }

  /// A session that has not reached its limits, or nil.
  ///
  /// A token that was issued and not used yet may have later limits than the current one.
  func withinLimits(_ session: SessionRow) throws(BackendError) -> SessionRow? {
    let now = try now()
    if session.limits.endReason(at: now) == nil { return session }
    let issued: [OtherToken] = try all(SessionQuery.issued, session.id)
    return issued.compactMap { $0.terms.map(session.with) }.first { $0.limits.endReason(at: now) == nil }
  }

  /// Moves the idle limit of an active session, unless it was moved recently.
  func touch(_ session: SessionRow) throws(BackendError) {
    let now = try now()
    guard session.terms.isStale(at: now) else { return }
    try run(SessionQuery.touch, now.uptime, wallTime, session.tokenHash)
  }
}
