public import AuthCore

/// An authority in memory that keeps real sessions, and that a test can hold, fail or answer for.
///
/// Left alone it behaves as an authority must: it passes the contract suite. ``hold(_:)`` stops the next calls of an operation until the
/// test lets them go, so that a test decides in which order things arrive.
public final class ScriptedAuthority: Authority {
  /// The operations of an authority.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// ``Authority/authenticate(_:limits:)``
    case authenticate
    /// ``Authority/resume(_:)``
    case resume
    /// ``Authority/renew(_:)``
    case renew
    /// ``Authority/reauthenticate(_:password:limits:)``
    case reauthenticate
    /// ``Authority/confirm(_:)``
    case confirm
    /// ``Authority/revoke(_:reason:)``
    case revoke
  }

  /// Where a held call stands still.
  public enum Point: Hashable, Sendable {
    /// Before the authority looks.
    case question
    /// After it decided, before the caller hears of it.
    case answer
  }

  fileprivate struct Held: Hashable {
    var operation: Operation
    var point: Point
  }

  /// A fault that is not an answer about the session.
  public enum Fault: Hashable, Sendable {
    /// The authority cannot be asked.
    case unavailable(Unavailability)
    /// The authority does not look.
    case throttled(Throttle)
  }

  fileprivate struct Session {
    var id: SessionID
    var username: String
    var limits: SessionLimits
    var replaces: SessionToken?
    var end: SessionRejection?
  }

  fileprivate struct Account {
    var user: User
    var password: Password
    var isDisabled = false
  }

  fileprivate struct Storage {
    var accounts: [String: Account] = [:]
    var sessions: [SessionToken: Session] = [:]
    var issued: UInt64 = 0
    var faults: [Operation: Fault] = [:]
    var held: Set<Held> = []
    var waiting: [Held: [CheckedContinuation<Void, Never>]] = [:]
    var arrivals: [(Held, Int, CheckedContinuation<Void, Never>)] = []
    var rotates = false
    var log: [Operation] = []
  }

  private let storage = Locked(Storage())
  private let clock: any SessionClock
  private let idle: Duration
  private let absolute: Duration
  private let fresh: Duration

  /// Creates an authority without accounts.
  public init(
    clock: any SessionClock, idle: Duration = .seconds(1800), absolute: Duration = .seconds(28_800),
    fresh: Duration = .seconds(900)
  ) {
    self.clock = clock
    self.idle = idle
    self.absolute = absolute
    self.fresh = fresh
  }

  // MARK: What a test sets

  /// Adds an account, or changes one.
  public func setAccount(
    _ username: String, password: Password, displayName: String? = nil, role: Role = .member, isDisabled: Bool = false
  ) {
    let user = User(
      id: UserID(rawValue: "id-\(username)"), username: username, displayName: displayName ?? username, role: role)
    storage.withLock { storage in
      storage.accounts[username] = Account(user: user, password: password, isDisabled: isDisabled)
      guard isDisabled else { return }
      for (token, session) in storage.sessions where session.username == username && session.end == nil {
        storage.sessions[token]?.end = .ended(.accountDisabled)
      }
    }
  }

  /// Makes renewals exchange the token, or not.
  public func setRotation(_ rotates: Bool) {
    storage.withLock { $0.rotates = rotates }
  }

  /// Makes an operation fail from now on, or work again with nil.
  public func fail(_ operation: Operation, with fault: Fault?) {
    storage.withLock { $0.faults[operation] = fault }
  }

  /// Stops the calls of an operation at a point, until ``release(_:at:)``.
  public func hold(_ operation: Operation, at point: Point = .question) {
    storage.withLock { _ = $0.held.insert(Held(operation: operation, point: point)) }
  }

  /// Lets the held calls of an operation go on, and later ones pass.
  public func release(_ operation: Operation, at point: Point = .question) {
    let waiting = storage.withLock { storage in
      let held = Held(operation: operation, point: point)
      storage.held.remove(held)
      return storage.waiting.removeValue(forKey: held) ?? []
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until `count` calls of a held operation have arrived at the point.
  public func waitUntilHeld(_ operation: Operation, at point: Point = .question, count: Int = 1) async {
    let held = Held(operation: operation, point: point)
    await withCheckedContinuation { continuation in
      let isThere = storage.withLock { storage in
        guard storage.waiting[held, default: []].count < count else { return true }
        storage.arrivals.append((held, count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Ends a session from the authority's side.
  public func end(_ token: SessionToken, _ reason: EndReason) {
    storage.withLock { storage in
      guard let id = storage.sessions[token]?.id else { return }
      storage.end(id, .ended(reason))
    }
  }

  /// The tokens that would be accepted now, limits aside.
  public var liveTokens: Set<SessionToken> {
    storage.withLock { storage in Set(storage.sessions.filter { $0.value.end == nil }.keys) }
  }

  /// The operations that were asked for, in order.
  public var log: [Operation] { storage.withLock { $0.log } }

  // MARK: Authority

  /// Checks credentials against the accounts that were set.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityFailure<CredentialsRejection>) -> Grant {
    try await pass(.authenticate, CredentialsRejection.self)
    let now = try instant(CredentialsRejection.self)
    let grant = storage.withLock { storage -> Grant? in
      guard let account = storage.accounts[credentials.username], !account.isDisabled,
        account.password == credentials.password
      else { return nil }
      let id = SessionID(rawValue: "s\(storage.issued + 1)")
      return issue(account, id, sessionLimits(now, limits), replacing: nil, &storage)
    }
    await stop(.authenticate, at: .answer)
    guard let grant else { throw .rejected(.notAccepted) }
    return grant
  }

  /// Says whom a token stands for.
  public func resume(_ token: SessionToken) async throws(AuthorityFailure<SessionRejection>) -> Grant {
    try await pass(.resume, SessionRejection.self)
    let answer = answer { () throws(AuthorityFailure<SessionRejection>) in try use(token) { _, _ in nil } }
    await stop(.resume, at: .answer)
    return try answer.get()
  }

  /// Moves the idle limit, and exchanges the token if rotation was set.
  public func renew(_ token: SessionToken) async throws(AuthorityFailure<SessionRejection>) -> Grant {
    try await pass(.renew, SessionRejection.self)
    let now = try instant(SessionRejection.self)
    let answer = answer { () throws(AuthorityFailure<SessionRejection>) in
      try use(token) { session, storage in
        let limits = SessionLimits(
          idle: .at(now.advanced(by: idle)), absolute: session.limits.absolute, fresh: session.limits.fresh)
        guard storage.rotates, let account = storage.accounts[session.username] else {
          storage.sessions[token]?.limits = limits
          return nil
        }
        return issue(account, session.id, limits, replacing: token, &storage)
      }
    }
    await stop(.renew, at: .answer)
    return try answer.get()
  }

  /// Checks the password of the token's user and issues a token with new limits.
  public func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityFailure<ReauthenticationRejection>) -> Grant {
    try await pass(.reauthenticate, ReauthenticationRejection.self)
    let now = try instant(ReauthenticationRejection.self)
    var isAccepted = true
    let answer = answer { () throws(AuthorityFailure<SessionRejection>) in
      try use(token) { session, storage in
        guard let account = storage.accounts[session.username], account.password == password else {
          isAccepted = false
          return nil
        }
        return issue(account, session.id, sessionLimits(now, limits), replacing: token, &storage)
      }
    }
    await stop(.reauthenticate, at: .answer)
    switch answer {
    case .success(let grant):
      guard isAccepted else { throw .rejected(.notAccepted) }
      return grant
    case .failure(.rejected(let rejection)): throw .rejected(.session(rejection))
    case .failure(.throttled(let throttle)): throw .throttled(throttle)
    case .failure(.unavailable(let cause)): throw .unavailable(cause)
    }
  }

  /// Lets the token that this one replaced die.
  public func confirm(_ token: SessionToken) async throws(AuthorityFailure<SessionRejection>) {
    try await pass(.confirm, SessionRejection.self)
    _ = try use(token) { _, _ in nil }
  }

  /// Ends the session of a token.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    do throws(AuthorityFailure<SessionRejection>) {
      try await pass(.revoke, SessionRejection.self)
    } catch {
      switch error {
      case .unavailable(let cause): throw cause
      case .throttled, .rejected: throw Unavailability(.busy, "the authority asks to wait")
      }
    }
    end(token, reason)
    await stop(.revoke, at: .answer)
  }

  // MARK: Inside

  private func answer<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Result<Value, Failure> {
    do {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  private func pass<Rejection>(
    _ operation: Operation, _: Rejection.Type
  ) async throws(AuthorityFailure<Rejection>) {
    storage.withLock { $0.log.append(operation) }
    await stop(operation, at: .question)
    switch storage.withLock({ $0.faults[operation] }) {
    case .none: return
    case .unavailable(let cause): throw .unavailable(cause)
    case .throttled(let throttle): throw .throttled(throttle)
    }
  }

  private func stop(_ operation: Operation, at point: Point) async {
    let held = Held(operation: operation, point: point)
    await withCheckedContinuation { continuation in
      let (isHeld, arrivals) = storage.withLock { storage -> (Bool, [CheckedContinuation<Void, Never>]) in
        guard storage.held.contains(held) else { return (false, []) }
        storage.waiting[held, default: []].append(continuation)
        let count = storage.waiting[held, default: []].count
        let reached = storage.arrivals.filter { $0.0 == held && $0.1 <= count }
        storage.arrivals.removeAll { $0.0 == held && $0.1 <= count }
        return (true, reached.map(\.2))
      }
      for arrival in arrivals { arrival.resume() }
      if !isHeld { continuation.resume() }
    }
  }

  private func instant<Rejection>(_: Rejection.Type) throws(AuthorityFailure<Rejection>) -> BootInstant {
    do throws(ClockFailure) {
      return try clock.now()
    } catch {
      throw .unavailable(Unavailability(.unreadable, error.description))
    }
  }

  private func sessionLimits(_ now: BootInstant, _ request: LimitRequest) -> SessionLimits {
    SessionLimits(
      idle: .at(now.advanced(by: min(idle, request.idle ?? idle))),
      absolute: .at(now.advanced(by: min(absolute, request.absolute ?? absolute))),
      fresh: .at(now.advanced(by: fresh)))
  }

  private func issue(
    _ account: Account, _ id: SessionID, _ limits: SessionLimits, replacing old: SessionToken?,
    _ storage: inout Storage
  ) -> Grant {
    storage.issued += 1
    let token = SessionToken(bytes: Array("token-\(storage.issued)".utf8))
    storage.sessions[token] = Session(id: id, username: account.user.username, limits: limits, replaces: old)
    return Grant(id: id, user: account.user, token: token, limits: limits)
  }

  /// Accepts a token: it is confirmed by that, and `change` may issue another.
  private func use(
    _ token: SessionToken, _ change: (Session, inout Storage) -> Grant?
  ) throws(AuthorityFailure<SessionRejection>) -> Grant {
    let now = try instant(SessionRejection.self)
    let result = storage.withLock { storage -> Result<Grant, AuthorityFailure<SessionRejection>> in
      guard let session = storage.sessions[token], let account = storage.accounts[session.username] else {
        return .failure(.rejected(.ended(.revoked)))
      }
      if let end = session.end { return .failure(.rejected(end)) }
      switch session.limits.verdict(at: now) {
      case .live: break
      case .expired(let kind): return .failure(.rejected(.ended(.expired(kind))))
      case .rebooted: return .failure(.rejected(.ended(.rebooted)))
      }
      if let old = session.replaces { storage.supersede(old, by: token) }
      if let grant = change(session, &storage) { return .success(grant) }
      let limits = storage.sessions[token]?.limits ?? session.limits
      return .success(Grant(id: session.id, user: account.user, token: token, limits: limits))
    }
    return try result.get()
  }
}

extension ScriptedAuthority.Storage {
  fileprivate mutating func end(_ id: SessionID, _ rejection: SessionRejection) {
    for (token, session) in sessions where session.id == id && session.end == nil {
      sessions[token]?.end = rejection
    }
  }

  /// The new token is in use: the old one and its other successors die.
  fileprivate mutating func supersede(_ old: SessionToken, by new: SessionToken) {
    sessions[new]?.replaces = nil
    for (token, session) in sessions where token != new && session.end == nil {
      if token == old || session.replaces == old { sessions[token]?.end = .superseded }
    }
  }
}
