import Guards

// The commands of the session.

extension SessionStore {
  // Every command that waits takes a limit, and leaves in the same way: `waiting(atMost:for:)`.

  /// Finds out whether the session in the vault is still active.
  ///
  /// If the vault or the authority is unavailable, or does not answer within `renewalStep` of
  /// ``SessionTiming``, the state stays `restoring`: that is not "logged out".
  ///
  /// - Parameter limit: How long to wait for the outcome; nil waits for the end of the work. Every
  ///   command that waits has this parameter. After the limit the work continues, and ``state`` has
  ///   its result.
  /// - Returns: Whether a user is logged in, or why that is not known; `cancelled` after the limit.
  @discardableResult
  public func restore(within limit: Duration? = nil) async -> RestoreOutcome {
    let (_, promise) = core.send(.command(.restore)) { reaction, inner in
      reaction.isTransition ? Awaited.begin(&inner.awaited.restore) : nil
    }
    if let promise { return await core.waiting(atMost: limit) { await promise.value() ?? .cancelled } }
    let state = core.withLock { $0.snapshot }
    if case .loggedOut(let reason) = state { return .loggedOut(reason) }
    return state.session.map { .loggedIn($0) } ?? .overtaken
  }

  /// Begins a session.
  ///
  /// It fails after `loginStep` of ``SessionTiming`` if the authority does not answer.
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func logIn(
  ///   _ credentials: Credentials, _ store: SessionStore, ask: (Challenge) async -> Secret?
  /// ) async throws(SessionError) -> LoggedInSession? {
  ///   var result = try await store.logIn(credentials)
  ///   while case .challenged(let challenge) = result {
  ///     guard let code = await ask(challenge) else {
  ///       store.cancel(challenge)
  ///       return nil
  ///     }
  ///     result = try await store.answer(code, to: challenge)
  ///   }
  ///   return result.session
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - credentials: The credentials that the user entered.
  ///   - limits: Shorter limits of the session than the authority's own.
  ///   - limit: How long to wait for the result; see ``restore(within:)``. After the limit the
  ///     login continues, and `cancelled` is thrown.
  /// - Returns: The key, or the challenge of a second step.
  /// - Throws: ``SessionError``; then nobody is logged in, or the previous session continues.
  public func logIn(
    _ credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    let login = beginLogIn(credentials, limits: limits)
    return try await core.waiting(atMost: limit) { () async throws(SessionError) in try await login.value() }
  }

  /// Begins a session without waiting for the result.
  @discardableResult
  package func beginLogIn(_ credentials: Credentials, limits: LimitRequest = LimitRequest()) -> PendingLogin {
    core.begin(.credentials(credentials, limits))
  }

  /// Logs in another user in place of the current one, who stays logged in if that fails.
  ///
  /// It waits for a renewal or a check that is under way. It fails after `loginStep` of
  /// ``SessionTiming`` if the authority does not answer.
  ///
  /// - Returns: The key of the other user, or the challenge of a second step; the current user
  ///   stays logged in until it is answered. ``leftovers`` says what remains of the session that
  ///   was replaced.
  /// - Throws: ``SessionError``; the current session then continues, unless it ended meanwhile.
  ///   ``SessionError/insideLease`` when the calling task is inside a lease, because the switch
  ///   would wait for it.
  public func switchUser(
    to credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    if core.isInsideLease { throw .insideLease }
    return try await core.work(.switchUser, submitting: .credentials(credentials, limits), within: limit)
  }

  /// Checks the password of the current user again; this makes the session fresh and sets new
  /// limits.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Returns: The key with the new limits, or the challenge of a second step.
  /// - Throws: ``SessionError``; a wrong password does not end the session.
  ///   ``SessionError/ended(_:)`` when the session ended while this waited: the store checks the
  ///   password only for the user who was logged in at the call.
  public func reauthenticate(
    password: Secret, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    // One read: the name is that of the session whose token goes with it.
    let key = core.withLock { $0.key }
    let credentials = Credentials.password(username: key?.user.username ?? "", password: password)
    return try await core.work(
      .reauthenticate, for: key?.gate, submitting: .credentials(credentials, limits), within: limit)
  }

  /// Checks credentials of the current user again, such as the code of a new login at a server; see
  /// ``reauthenticate(password:limits:within:)``.
  ///
  /// - Returns: The key with the new limits, or the challenge of a second step.
  /// - Throws: ``SessionError``; refused credentials do not end the session.
  public func reauthenticate(
    with credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    try await core.work(.reauthenticate, submitting: .credentials(credentials, limits), within: limit)
  }

  /// Continues the session with a grant that the app received from the authority itself, such as
  /// after a password change.
  ///
  /// The store saves the grant's token in place of the session's, and confirms it. It waits for
  /// other work on the session.
  ///
  /// - Parameters:
  ///   - grant: A grant of this session. The token of any other grant is revoked.
  ///   - limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key with the limits of the grant.
  /// - Throws: ``SessionError/notSaved(_:)`` when the token could not be saved: the session
  ///   continues with its old token. ``SessionError/overtaken`` when another process had replaced
  ///   the token. ``SessionError/ended(_:)`` when the session has ended.
  @discardableResult
  public func adopt(_ grant: Grant, within limit: Duration? = nil) async throws(SessionError) -> LoggedInSession {
    try await core.session(of: .reauthenticate, submitting: .grant(grant), within: limit)
  }

  /// Answers the second step of a login, a switch of users or a reauthentication.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Parameters:
  ///   - answer: The user's input; it is as secret as a password.
  ///   - challenge: The challenge from a ``LoginResult`` or ``state``.
  ///   - limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key; or the updated challenge when the answer is wrong and tries are left.
  /// - Throws: ``SessionError/rejected(_:)`` with `challengeOver` when the challenge has ended;
  ///   then the session is as it was before the first step. Other cases when the answer was not
  ///   checked; the challenge is then still open.
  public func answer(
    _ answer: Secret, to challenge: Challenge, within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    if core.waitingChallenge?.replacesSession ?? false, core.isInsideLease { throw .insideLease }
    return try await core.waiting(atMost: limit) { [core] () async throws(SessionError) in
      try await core.answer(answer, to: challenge)
    }
  }

  /// Cancels a second step: the session is as it was before the first step.
  ///
  /// The authority accepts no more answers to the challenge. A challenge that has ended does not
  /// change.
  public func cancel(_ challenge: Challenge) {
    core.send(.command(.cancel, challenge.token), failure: .rejected(.challengeOver))
  }

  /// Reports activity, which moves the idle limit.
  ///
  /// It waits for other work on the session; each step of that work has a limit in
  /// ``SessionTiming``. The renewal itself fails after `renewalStep` if no answer comes. The store
  /// sends at most three renewals in a minute, or in a quarter of a short idle limit; after those
  /// it sends none, because the activity is already recorded.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key of the session that was active at the call, never that of another session
  ///   or user.
  /// - Throws: ``SessionError/ended(_:)`` when the session ended meanwhile, even if another one
  ///   replaced it. ``SessionError/rejected(_:)`` with `renewalsFailed` when all renewals of this
  ///   minute failed.
  @discardableResult
  public func renew(within limit: Duration? = nil) async throws(SessionError) -> LoggedInSession {
    let meant = core.withLock { $0.key }
    let session = try await core.session(of: .renew, within: limit)
    if let meant, meant.gate !== session.gate { throw .ended(meant.endReason ?? .switchedUser) }
    return session
  }

  /// Checks the vault and the authority for changes by other processes.
  ///
  /// This is not activity. Call it when the vault or the account may have changed. It waits for
  /// other work on the session. The check itself fails after `renewalStep` of ``SessionTiming`` if
  /// no answer comes.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key of the current session; that of another user if another process logged in
  ///   that user.
  /// - Throws: ``SessionError/ended(_:)`` when the session had ended before the call or according
  ///   to the check. ``SessionError/rejected(_:)`` with `notLoggedIn` when there was no session:
  ///   call ``restore(within:)`` first. Other cases when the check failed and nothing changed.
  @discardableResult
  public func check(within limit: Duration? = nil) async throws(SessionError) -> LoggedInSession {
    try await core.session(of: .check, within: limit)
  }

  /// Keeps the session of the user who is logged in active until it ends: for a daemon.
  ///
  /// It renews the session when half of the time to the idle limit has passed, before its access
  /// token ends, and after each `interval`. If that fails, it retries after 5 seconds, and doubles
  /// the wait after each further failure: up to 5 minutes, and up to half of the time that is left.
  /// If the authority asks for a longer wait, it waits that long. So the session survives an
  /// authority that is unreachable for less than the idle limit. The call keeps the store alive.
  ///
  /// - Parameter interval: The longest time between two renewals, for a server that ends idle
  ///   sessions without saying when; nil leaves it to the limits.
  /// - Returns: Why the session has ended.
  /// - Throws: ``SessionError/rejected(_:)`` with `notLoggedIn` when nobody is logged in;
  ///   ``SessionError/cancelled`` when the calling task is cancelled. The session then continues.
  public func keepAlive(every interval: Duration? = nil) async throws(SessionError) -> EndReason {
    guard let key = session else { throw .rejected(.notLoggedIn) }
    return try await core.keepAlive(key, every: interval)
  }

  /// Reports that the authority refused an effect because the session has ended.
  ///
  /// Call it when the authority answered an effect with ``SessionRejection/ended(_:)``; you can
  /// call it inside a lease. After ``SessionRejection/superseded`` call ``check(within:)``.
  ///
  /// The keys are dead when this returns. Open screens are dismissed without waiting for the
  /// cleanup or for another request to the authority: before this returns, unless another thread is
  /// notifying observers. Screens of the main actor are dismissed there: before this returns if you
  /// call it there, otherwise as soon as the main actor is free.
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func handle(
  ///   _ rejection: SessionRejection, _ session: LoggedInSession, _ store: SessionStore
  /// ) async throws {
  ///   switch rejection {
  ///   case .ended(let reason): store.reportEnded(session, because: reason)
  ///   case .superseded: try await store.check()
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - session: The key of the effect. A key of an ended session or of another store has no
  ///     effect.
  ///   - reason: The authority's reason.
  public func reportEnded(_ session: LoggedInSession, because reason: EndReason) {
    let event = SessionEvent.ended(session.record.began, reason)
    core.send(event, unless: { $0.isOver(session.gate) ? .ignored(.otherSession) : nil }) { _, _ in }
  }

  /// Ends the session.
  ///
  /// The logout always ends, and nobody is logged in afterwards, whatever fails. After
  /// ``LogoutResult/complete`` and ``LogoutResult/withoutRevocation`` no lease is running. After
  /// ``LogoutResult/partial(_:causes:)`` a lease may be running, and the result says so.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``. Each step of a
  ///   logout also has its own limit, `logoutStep` of ``SessionTiming``.
  /// - Returns: What remains to clean up.
  /// - Throws: ``LogoutError/insideLease`` when the calling task is inside a lease of this session.
  @discardableResult
  public func logOut(within limit: Duration? = nil) async throws(LogoutError) -> LogoutResult {
    if core.isInsideLease { throw .insideLease }
    let logout = beginLogOut()
    return try await core.waiting(atMost: limit) { () async throws(LogoutError) in try await logout.value() }
  }

  /// Ends the session without waiting for the result, for use in an observer, a button, or inside a
  /// lease.
  ///
  /// The keys are dead when the call returns, and screens are dismissed as by
  /// ``reportEnded(_:because:)``.
  @discardableResult
  public func beginLogOut() -> PendingLogout {
    let (_, promise) = core.send(.command(.logOut)) { reaction, inner in
      reaction.isTransition ? Awaited.begin(&inner.awaited.logout) : nil
    }
    if promise == nil { core.retryRevocations() }
    return PendingLogout(promise: promise ?? core.afterNotifications(.alreadyLoggedOut))
  }

  /// Ends the session of this user as ``beginLogOut()`` does; nil if the user is not logged in.
  func beginLogOut(of user: User) -> PendingLogout? {
    let (_, promise) = core.send(
      .command(.logOut), unless: { $0.key?.user.id == user.id ? nil : .ignored(.otherSession) }
    ) { reaction, inner in reaction.isTransition ? Awaited.begin(&inner.awaited.logout) : nil }
    return promise.map { PendingLogout(promise: $0) }
  }
}
