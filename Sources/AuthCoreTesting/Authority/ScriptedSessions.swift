import AuthCore

/// The accounts and sessions of a ``ScriptedAuthority``: plain data, and the rules for an
/// authority.
struct ScriptedSessions {
  typealias Answer<Value> = Result<Value, AuthorityError<SessionRejection>>

  struct Account {
    var user: User
    var password: Password
    var isDisabled = false
  }

  struct Session {
    var id: SessionID
    var username: String
    var limits: SessionLimits
    /// The limits of the last request.
    var request: LimitRequest
    /// The token that this one replaces once it is confirmed or used.
    var replaces: SessionToken?
    var end: SessionRejection?
  }

  /// The limits of sessions.
  let idle: Duration
  let absolute: Duration
  let fresh: Duration
  /// The limits in grants, if a test sets them.
  var scriptedLimits: SessionLimits?
  var rotates = false
  /// The second step of each account that has one.
  var steps: [String: ScriptedSteps.Step] = [:]
  var challenges: [SessionToken: ScriptedSteps.Open] = [:]
  private(set) var accounts: [String: Account] = [:]
  private(set) var sessions: [SessionToken: Session] = [:]
  private var issued: UInt64 = 0

  init(idle: Duration, absolute: Duration, fresh: Duration) {
    self.idle = idle
    self.absolute = absolute
    self.fresh = fresh
  }

  mutating func set(_ account: Account) {
    let username = account.user.username
    accounts[username] = account
    guard account.isDisabled else { return }
    challenges = challenges.filter { $0.value.username != username }
    for (token, session) in sessions where session.username == username && session.end == nil {
      sessions[token]?.end = .ended(.accountDisabled)
    }
  }

  mutating func authenticate(
    _ credentials: Credentials, _ request: LimitRequest, at now: BootInstant
  ) -> Result<Grant, AuthorityError<CredentialsRejection>> {
    guard let account = accounts[credentials.username], !account.isDisabled, account.password == credentials.password
    else { return .failure(.rejected(.notAccepted)) }
    if let challenge = challenge(for: account, request, of: nil, at: now) {
      return .failure(.rejected(.challenged(challenge)))
    }
    return .success(begin(for: account, request, at: now))
  }

  mutating func begin(for account: Account, _ request: LimitRequest, at now: BootInstant) -> Grant {
    let id = SessionID(rawValue: "s\(issued + 1)")
    return issue(account, id, limits(request, at: now), request, replacing: nil)
  }

  mutating func resume(_ token: SessionToken, at now: BootInstant) -> Answer<Grant> {
    use(token, at: now).map { session, account in
      Grant(id: session.id, user: account.user, token: token, limits: scriptedLimits ?? session.limits)
    }
  }

  mutating func renew(_ token: SessionToken, at now: BootInstant) -> Answer<Grant> {
    use(token, at: now).map { session, account in
      let limits = SessionLimits(
        idle: self.limits(session.request, at: now).idle, absolute: session.limits.absolute,
        fresh: session.limits.fresh)
      if rotates { return issue(account, session.id, limits, session.request, replacing: token) }
      sessions[token]?.limits = limits
      return Grant(id: session.id, user: account.user, token: token, limits: scriptedLimits ?? limits)
    }
  }

  mutating func reauthenticate(
    _ token: SessionToken, _ password: Password, _ request: LimitRequest, at now: BootInstant
  ) -> Result<Grant, AuthorityError<ReauthenticationRejection>> {
    switch use(token, at: now) {
    case .failure(.rejected(let rejection)): return .failure(.rejected(.session(rejection)))
    case .failure(.throttled(let throttle)): return .failure(.throttled(throttle))
    case .failure(.unavailable(let cause)): return .failure(.unavailable(cause))
    case .success(let (session, account)):
      guard account.password == password else { return .failure(.rejected(.notAccepted)) }
      if let challenge = challenge(for: account, request, of: token, at: now) {
        return .failure(.rejected(.challenged(challenge)))
      }
      return .success(refresh(token, session, account, request, at: now))
    }
  }

  mutating func refresh(
    _ token: SessionToken, _ session: Session, _ account: Account, _ request: LimitRequest, at now: BootInstant
  ) -> Grant {
    let request = LimitRequest(
      idle: request.idle ?? session.request.idle, absolute: request.absolute ?? session.request.absolute)
    return issue(account, session.id, limits(request, at: now), request, replacing: token)
  }

  /// Creates a token that was never issued before.
  mutating func newToken() -> SessionToken {
    issued += 1
    return SessionToken(bytes: Array("token-\(issued)".utf8))
  }

  /// Ends the challenge of `token`, or its session with all tokens and challenges.
  mutating func end(_ token: SessionToken, _ reason: EndReason) {
    challenges[token] = nil
    guard let id = sessions[token]?.id else { return }
    challenges = challenges.filter { $0.value.session.flatMap { sessions[$0]?.id } != id }
    for (token, session) in sessions where session.id == id && session.end == nil {
      sessions[token]?.end = .ended(reason)
    }
  }

  /// Accepts a token, which confirms it, or throws the reason.
  mutating func use(
    _ token: SessionToken, at now: BootInstant
  ) -> Answer<(session: Session, account: Account)> {
    guard let session = sessions[token], let account = accounts[session.username] else {
      return .failure(.rejected(.ended(.revoked)))
    }
    if let end = session.end { return .failure(.rejected(end)) }
    switch session.limits.verdict(at: now) {
    case .live: break
    case .expired(let kind): return .failure(.rejected(.ended(.expired(kind))))
    case .rebooted: return .failure(.rejected(.ended(.rebooted)))
    }
    if let old = session.replaces { supersede(old, by: token) }
    return .success((session, account))
  }

  /// Ends the old token and its other successors, because the new token is in use.
  private mutating func supersede(_ old: SessionToken, by new: SessionToken) {
    sessions[new]?.replaces = nil
    for (token, session) in sessions where token != new && session.end == nil {
      if token == old || session.replaces == old { sessions[token]?.end = .superseded }
    }
  }

  private func limits(_ request: LimitRequest, at now: BootInstant) -> SessionLimits {
    SessionLimits(
      idle: .at(now.advanced(by: min(idle, request.idle ?? idle))),
      absolute: .at(now.advanced(by: min(absolute, request.absolute ?? absolute))),
      fresh: .at(now.advanced(by: fresh)))
  }

  private mutating func issue(
    _ account: Account, _ id: SessionID, _ limits: SessionLimits, _ request: LimitRequest,
    replacing old: SessionToken?
  ) -> Grant {
    let token = newToken()
    sessions[token] = Session(id: id, username: account.user.username, limits: limits, request: request, replaces: old)
    return Grant(id: id, user: account.user, token: token, limits: scriptedLimits ?? limits)
  }
}
