import AuthCore

/// The accounts and sessions of a ``ScriptedAuthority``: plain data, and the rules for an
/// authority.
struct ScriptedSessions {
  typealias Answer<Value, Rejection: Hashable & Sendable> = Result<Value, AuthorityError<Rejection>>

  struct Account {
    var user: User
    var password: Secret
    var isDisabled = false
  }

  /// A token, and its session.
  struct Session {
    var id: SessionID
    var username: String
    /// The limits that the session gets when this token is confirmed or used.
    var newLimits: SessionLimits?
    /// The limits of the last request.
    var request: LimitRequest
    /// The token that this one replaces once it is confirmed or used.
    var replaces: SessionToken?
    var end: SessionRejection?
  }

  /// The start of each token.
  let name: String
  /// The limits of sessions.
  let idle: Duration
  let absolute: Duration
  let fresh: Duration
  /// The limits in grants, if a test sets them.
  var scriptedLimits: SessionLimits?
  var rotates = false
  var exchange = TokenExchange.untilConfirmed
  /// How long access tokens last; nil if grants have none.
  var accessLifetime: Duration?
  /// The access tokens that no test had refused, with their sessions and ends.
  var accessTokens: [String: (session: SessionID, end: BootInstant)] = [:]
  private(set) var issuedAccess = 0
  /// The second step of each account that has one.
  var steps: [String: Step] = [:]
  var challenges: [SessionToken: OpenChallenge] = [:]
  private(set) var accounts: [String: Account] = [:]
  private(set) var sessions: [SessionToken: Session] = [:]
  /// The tokens of each session, so that a session costs the same however many there were before.
  private(set) var tokens: [SessionID: [SessionToken]] = [:]
  /// The limits of each session, whichever of its tokens moved them.
  private(set) var sessionLimits: [SessionID: SessionLimits] = [:]
  private(set) var issued: UInt64 = 0

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
  ) -> Answer<Authentication, CredentialsRejection> {
    guard let account = accounts[credentials.username], !account.isDisabled, account.password == credentials.password
    else { return .failure(.rejected(.notAccepted)) }
    return .success(accept(account, request, of: nil, at: now))
  }

  mutating func resume(_ token: SessionToken, at now: BootInstant) -> Answer<Grant, SessionRejection> {
    check(token, at: now).map { session, account in grant(token, session, account) }
  }

  mutating func renew(_ token: SessionToken, at now: BootInstant) -> Answer<Grant, SessionRejection> {
    use(token, at: now).map { session, account in
      let before = limits(of: session)
      sessionLimits[session.id] = SessionLimits(
        idle: limits(session.request, at: now).idle, absolute: before.absolute, fresh: before.fresh)
      if rotates || exchange == .spendsOld { return issue(session, account, replacing: token, at: now) }
      return grant(token, session, account, newAccessToken(of: session.id, at: now))
    }
  }

  mutating func reauthenticate(
    _ token: SessionToken, _ password: Secret, _ request: LimitRequest, at now: BootInstant
  ) -> Answer<Authentication, ReauthenticationRejection> {
    use(token, at: now).mapError { $0.map(ReauthenticationRejection.session) }.flatMap { _, account in
      guard account.password == password else { return .failure(.rejected(.notAccepted)) }
      return .success(accept(account, request, of: token, at: now))
    }
  }

  /// Grants a session to an account, or continues that of a token.
  mutating func grant(
    _ account: Account, _ request: LimitRequest, of token: SessionToken?, at now: BootInstant
  ) -> Grant {
    let old = token.flatMap { sessions[$0] }
    let request = LimitRequest(
      idle: request.idle ?? old?.request.idle, absolute: request.absolute ?? old?.request.absolute)
    let session = Session(
      id: old?.id ?? SessionID(rawValue: "s\(issued + 1)"), username: account.user.username,
      newLimits: limits(request, at: now), request: request)
    return issue(session, account, replacing: token, at: now)
  }

  /// Creates a token that was never issued before.
  mutating func newToken() -> SessionToken {
    issued += 1
    return SessionToken(bytes: Array("\(name)token-\(issued)".utf8))
  }

  private mutating func newAccessToken(of session: SessionID, at now: BootInstant) -> AccessToken? {
    guard let accessLifetime else { return nil }
    issuedAccess += 1
    let (value, end) = ("access-\(issuedAccess)", now.advanced(by: accessLifetime))
    accessTokens[value] = (session, end)
    return AccessToken(value, deadline: .at(end))
  }

  /// Whether a server accepts an access token: neither it nor its session has ended.
  func accepts(_ accessToken: String, at now: BootInstant) -> Bool {
    guard let (id, end) = accessTokens[accessToken], Deadline.at(end).phase(at: now) == .ahead else { return false }
    return tokens[id, default: []].contains { token in
      sessions[token].map { $0.end == nil && limits(of: $0).endReason(at: now) == nil } ?? false
    }
  }

  /// Ends the challenge of `token`, or its session with all tokens and challenges.
  mutating func end(_ token: SessionToken, _ reason: EndReason) {
    challenges[token] = nil
    guard let id = sessions[token]?.id, !isSpent(token) else { return }
    challenges = challenges.filter { $0.value.session.flatMap { sessions[$0]?.id } != id }
    for token in tokens[id, default: []] where sessions[token]?.end == nil { sessions[token]?.end = .ended(reason) }
  }

  /// Accepts a token, which confirms it, or returns the reason.
  mutating func use(
    _ token: SessionToken, at now: BootInstant
  ) -> Answer<(session: Session, account: Account), SessionRejection> {
    guard var session = sessions[token], let account = accounts[session.username] else {
      return .failure(.rejected(.ended(.revoked)))
    }
    if isSpent(token) {
      for token in tokens[session.id, default: []] { sessions[token]?.end = .ended(.revoked) }
      return .failure(.rejected(.ended(.revoked)))
    }
    if let end = session.end { return .failure(.rejected(end)) }
    if let reason = limits(of: session).endReason(at: now) { return .failure(.rejected(.ended(reason))) }
    if let new = session.newLimits.take() { sessionLimits[session.id] = new }
    sessions[token] = session
    if let old = session.replaces { supersede(old, by: token, of: session.id) }
    return .success((session, account))
  }

  /// Accepts a token for a call without a lock: another process may have spent it just before.
  mutating func check(
    _ token: SessionToken, at now: BootInstant
  ) -> Answer<(session: Session, account: Account), SessionRejection> {
    isSpent(token) ? .failure(.rejected(.superseded)) : use(token, at: now)
  }

  /// Whether an exchange has spent the token, at an authority that does so.
  private func isSpent(_ token: SessionToken) -> Bool {
    exchange == .spendsOld && sessions[token]?.end == .superseded
  }

  /// Ends the old token and its other successors, because the new token is in use.
  private mutating func supersede(_ old: SessionToken, by new: SessionToken, of session: SessionID) {
    sessions[new]?.replaces = nil
    moveChallenges(from: old, to: new)
    for token in tokens[session, default: []] where token != new && sessions[token]?.end == nil {
      if token == old || sessions[token]?.replaces == old { sessions[token]?.end = .superseded }
    }
  }

  /// Lets the challenges of a session continue under its new token.
  private mutating func moveChallenges(from old: SessionToken, to new: SessionToken) {
    for (challenge, open) in challenges where open.session == old { challenges[challenge]?.session = new }
  }

  private func limits(of session: Session) -> SessionLimits {
    session.newLimits ?? sessionLimits[session.id]
      ?? SessionLimits(idle: .unknown, absolute: .unknown, fresh: .unknown)
  }

  private func limits(_ request: LimitRequest, at now: BootInstant) -> SessionLimits {
    SessionLimits(
      idle: .at(now.advanced(by: min(idle, request.idle ?? idle))),
      absolute: .at(now.advanced(by: min(absolute, request.absolute ?? absolute))),
      fresh: .at(now.advanced(by: fresh)))
  }

  private mutating func issue(
    _ session: Session, _ account: Account, replacing old: SessionToken?, at now: BootInstant
  ) -> Grant {
    let token = newToken()
    tokens[session.id, default: []].append(token)
    sessions[token] = session
    switch exchange {
    case .untilConfirmed: sessions[token]?.replaces = old
    case .spendsOld:
      if let old {
        sessions[old]?.end = .superseded
        moveChallenges(from: old, to: token)
      }
    }
    return grant(token, session, account, newAccessToken(of: session.id, at: now))
  }

  private func grant(
    _ token: SessionToken, _ session: Session, _ account: Account, _ access: AccessToken? = nil
  ) -> Grant {
    Grant(
      id: session.id, user: account.user, token: token, limits: scriptedLimits ?? limits(of: session),
      accessToken: access)
  }
}
