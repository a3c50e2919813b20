import ConcurrencyKit

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
  /// - Returns: Whether a user is logged in, or why that is not known; `timedOut` after the limit.
  @discardableResult
  public func restore(within limit: Duration? = nil) async -> RestoreOutcome {
    let (_, promise) = core.send(.command(.restore)) { reaction, inner in
      reaction.isTransition ? Awaited.begin(&inner.awaited.restore) : nil
    }
    if let promise {
      return await core.waiting(atMost: limit, late: \.timedOut) { await promise.value() ?? .cancelled }
    }
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
  ///     login continues, and `timedOut` is thrown.
  /// - Returns: The key, or the challenge of a second step.
  /// - Throws: ``SessionError``; then nobody is logged in, or the previous session continues.
  public func logIn(
    _ credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    let login = beginLogIn(credentials, limits: limits)
    return try await core.waiting(atMost: limit, late: \.timedOut) { () async throws(SessionError) in
      try await login.value()
    }
  }

  /// Begins a session without waiting for the result.
  @discardableResult
  package func beginLogIn(_ credentials: Credentials, limits: LimitRequest = LimitRequest()) -> PendingLogin {
    core.begin(.credentials(credentials, limits))
  }

  /// Logs in another user in place of the user of a session, who stays logged in if that fails.
  ///
  /// It waits for a renewal or a check that is under way. It fails after `loginStep` of
  /// ``SessionTiming`` if the authority does not answer.
  ///
  /// - Parameters:
  ///   - session: The session to replace; no other session is replaced.
  ///   - credentials: The credentials of the other user.
  ///   - limits: Shorter limits of the new session than the authority's own.
  ///   - limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key of the other user, or the challenge of a second step; the current user
  ///   stays logged in until it is answered. ``leftovers`` says what remains of the session that
  ///   was replaced.
  /// - Throws: ``SessionError``; the session then continues. ``SessionError/ended(_:)`` when it had
  ///   ended before. ``SessionError/insideLease`` when the calling task is inside a lease, because
  ///   the switch would wait for it.
  public func switchUser(
    from session: LoggedInSession, to credentials: Credentials, limits: LimitRequest = LimitRequest(),
    within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    try await core.work(
      .session(.switchUser), in: session.gate, submitting: .credentials(credentials, limits), within: limit)
  }

  /// Checks the password of the user of a session again; this makes the session fresh and sets new
  /// limits.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Parameters:
  ///   - session: The session whose user entered the password; it is never checked for another
  ///     user.
  ///   - password: The password.
  ///   - limits: Shorter limits than the authority's own.
  ///   - limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key with the new limits, or the challenge of a second step.
  /// - Throws: ``SessionError``; a wrong password does not end the session.
  ///   ``SessionError/ended(_:)`` when the session has ended.
  public func reauthenticate(
    _ session: LoggedInSession, password: Secret, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    let credentials = Credentials.password(username: session.user.username, password: password)
    return try await reauthenticate(session, with: credentials, limits: limits, within: limit)
  }

  /// Checks credentials of the user of a session again, such as the code of a new login at a
  /// server; see ``reauthenticate(_:password:limits:within:)``.
  ///
  /// - Returns: The key with the new limits, or the challenge of a second step.
  /// - Throws: ``SessionError``; refused credentials do not end the session.
  public func reauthenticate(
    _ session: LoggedInSession, with credentials: Credentials, limits: LimitRequest = LimitRequest(),
    within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    try await core.work(
      .session(.reauthenticate), in: session.gate, submitting: .credentials(credentials, limits), within: limit)
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
    let gate = core.withLock { $0.key?.gate }
    return try await core.session(of: .reauthenticate, in: gate, submitting: .grant(grant), within: limit)
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
    try await core.work(.answer, about: .challenge(challenge.token), submitting: .answer(answer), within: limit)
  }

  /// Cancels a second step: the session is as it was before the first step.
  ///
  /// The authority accepts no more answers to the challenge. A challenge that has ended does not
  /// change.
  public func cancel(_ challenge: Challenge) {
    core.send(.command(.cancel, about: .challenge(challenge.token)), failure: .rejected(.challengeOver))
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
    try await core.session(of: .renew, in: core.withLock { $0.key?.gate }, within: limit)
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
    try await core.session(of: .check, about: .anyone, within: limit)
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
    // Only in its own store does the epoch of a key mean something.
    if session.gate.core === core { core.send(.ended(session.record.began, reason)) }
  }

  /// Ends the session of a key.
  ///
  /// The logout always ends, and afterwards the session is no longer active, whatever fails. After
  /// ``LogoutResult/complete`` and ``LogoutResult/withoutRevocation`` no lease is running. After
  /// ``LogoutResult/partial(_:causes:)`` a lease may be running, and the result says so; another
  /// call retries the cleanup. A session that replaced this one in the meantime continues.
  ///
  /// - Parameters:
  ///   - session: The session to end.
  ///   - limit: How long to wait for the result; see ``restore(within:)``. Each step of a logout
  ///     also has its own limit, `logoutStep` of ``SessionTiming``.
  /// - Returns: What remains to clean up; ``LogoutResult/alreadyLoggedOut`` when the session had
  ///   ended.
  /// - Throws: ``LogoutError/insideLease`` when the calling task is inside a lease of this session.
  @discardableResult
  public func logOut(
    _ session: LoggedInSession, within limit: Duration? = nil
  ) async throws(LogoutError) -> LogoutResult {
    try await core.logOut(core.subject(session.gate), within: limit)
  }

  /// Ends the session of a key without waiting for the result, for use in an observer, a button, or
  /// inside a lease.
  ///
  /// The keys are dead when the call returns, and screens are dismissed as by
  /// ``reportEnded(_:because:)``.
  @discardableResult
  public func beginLogOut(_ session: LoggedInSession) -> PendingLogout {
    core.beginLogOut(core.subject(session.gate)).1
  }

  /// Ends whatever session there is, and any login under way, and erases any token in the vault.
  ///
  /// It is for a caller without a key: a logout at launch, while the session could not be checked,
  /// or one that retries an incomplete cleanup. Where a user presses a button, log out the session
  /// that the user sees, with ``logOut(_:within:)``.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: What remains to clean up.
  /// - Throws: ``LogoutError/insideLease`` when the calling task is inside a lease.
  @discardableResult
  public func logOutAnyone(within limit: Duration? = nil) async throws(LogoutError) -> LogoutResult {
    try await core.logOut(.anyone, within: limit)
  }

  /// Ends the session of a user, if it is active; nil means whatever session there is.
  @discardableResult
  package func logOut(_ user: User?) async throws(LogoutError) -> LogoutResult {
    try await core.logOut(user.map { .user($0.id) } ?? .anyone, within: nil)
  }

  /// Ends whatever session there is without waiting for the result; see ``logOutAnyone(within:)``.
  @discardableResult
  package func beginLogOutAnyone() -> PendingLogout { core.beginLogOut(.anyone).1 }
}
