import Guards
public import Observation

/// The main entry point: restores, begins, renews and ends a session, and notifies observers.
///
/// The store owns the session machine behind one lock. It decides under the lock and acts after it.
/// It saves a change first, then exposes it, then notifies observers. A logout works in a different
/// order, so that no failure can stop it: keys dead, leases drained, token revoked, token erased,
/// observers notified. A cancelled waiter returns immediately, and the work continues.
///
/// The store calls the authority and the vault on separate threads, so they may block, as those of
/// `AuthSQLite` do: neither the main actor nor any other task waits for a password hash.
///
/// Keep the store for as long as you need its keys: they die with it. The session itself continues,
/// and another store can restore it.
///
/// ```swift
/// import AuthCore
///
/// func begin(
///   _ authority: any Authority, _ vault: any SessionVault, _ clock: any SessionClock
/// ) async throws {
///   let store = SessionStore(authority: authority, vault: vault, clock: clock)
///   await store.restore()
///   let password = Secret("marble kettle window harvest")
///   let alice = Credentials.password(username: "alice", password: password)
///   switch try await store.logIn(alice) {
///   case .loggedIn(let session): print(session.user.displayName)
///   case .challenged(let challenge): store.cancel(challenge)
///   }
/// }
/// ```
public final class SessionStore: Observable, Sendable {
  let core: SessionCore

  /// Creates a store at launch.
  ///
  /// Nothing is read before ``restore(within:)``.
  ///
  /// - Parameters:
  ///   - authority: Decides about credentials and sessions.
  ///   - vault: Stores the token of this device.
  ///   - clock: Measures the limits.
  ///   - timing: Time limits, and how often activity renews the session.
  ///   - place: Where the store calls the authority and the vault.
  public init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock,
    timing: SessionTiming = SessionTiming(), worksOn place: WorkPlace = .separateThreads
  ) {
    core = SessionCore(
      authority: authority, vault: vault, clock: clock, timing: timing, place: place)
  }

  deinit {
    core.shutDown()
  }

  // MARK: State

  /// The current state of the session.
  ///
  /// Reading it inside `withObservationTracking`, or in a SwiftUI body, tracks it.
  ///
  /// The notification is a signal to read again: several changes may arrive as one, and `onChange`
  /// already sees the new state. The system does not signal a change that comes after you read the
  /// state and before `withObservationTracking` returns. Compare ``revision`` once more after it
  /// returned, so that you never miss the last change.
  public var state: SessionSnapshot {
    core.observed.state
    return core.withLock { [core] inner in core.snapshot(inner) }
  }

  /// The number of the last change.
  ///
  /// It is tracked like ``state``, and only increases.
  public var revision: UInt64 {
    core.observed.state
    return core.withLock { $0.revision }
  }

  /// The key, while a user is logged in.
  ///
  /// It is tracked separately from ``state``: a view that reads only the key is redrawn when the
  /// key changes, not when a check found nothing new.
  public var session: LoggedInSession? {
    core.observed.session
    return core.withLock { [core] inner in core.snapshot(inner) }.session
  }

  /// The current state, then every later change, in order; each iterator gets all of them.
  ///
  /// A subscriber that falls behind by more than 256 changes continues with the newest one, and
  /// ``SessionChange/missed`` says how many changes it missed. The sequence ends when the store is
  /// released or the iterating task is cancelled. It keeps neither of them alive.
  public var transitions: some AsyncSequence<SessionChange, Never> & Sendable { transitions(bound: 256) }

  /// The same as ``transitions``, with a different limit on how far a subscriber may fall behind.
  package func transitions(bound: Int) -> SessionTransitions {
    SessionTransitions(core: core, bound: bound)
  }

  /// Notifies `observer` who is logged in, now and after every change, for as long as it lives; see
  /// ``SessionObserver``.
  ///
  /// If there is something to report, the first call comes on this thread before this returns: even
  /// while another thread notifies observers, and even inside a call of an observer. Inside such a
  /// call, the new object gets the current state, which may be newer than the change that the call
  /// reports. Later calls come on the thread that made the change. Attach an object only once: an
  /// object that is attached twice gets each call twice.
  public func attach(_ observer: some SessionObserver & Sendable) {
    core.attach(observer)
  }

  /// Notifies `observer` who is logged in, now and after every change, for as long as it lives, on
  /// the main actor; see ``SessionObserver``.
  ///
  /// No call is lost, and they come in the order of the changes. The first one comes before this
  /// returns, even inside a call of another observer; see the other ``attach(_:)``. A caller that
  /// awaits a command gets the result after the calls that it caused.
  @MainActor public func attach(_ observer: some SessionObserver) {
    core.attachOnMainActor(observer)
  }

  /// Stops the notifications of an observer.
  ///
  /// No call begins after this returns, except one that another thread is about to make.
  public func detach(_ observer: some SessionObserver) {
    core.detach(observer)
  }

  /// Creates a screen for the user who is logged in, and makes it follow the session for as long as
  /// it lives.
  ///
  /// If the session changes meanwhile, the screen is notified before this returns.
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func show<Screen: GuardedScreen & Sendable>(
  ///   _ screen: Screen.Type, _ store: SessionStore
  /// ) -> Screen? {
  ///   store.open(Screen.self)
  /// }
  /// ```
  ///
  /// - Returns: Nil when nobody is logged in.
  public func open<Screen: GuardedScreen & Sendable>(_ screen: Screen.Type) -> Screen? {
    guard let session else { return nil }
    let screen = Screen(session: session)
    open(screen, with: session)
    return screen
  }

  /// Creates a screen of the main actor for the user who is logged in, and makes it follow the
  /// session for as long as it lives, as the form for other screens does.
  ///
  /// - Returns: Nil when nobody is logged in.
  @MainActor public func open<Screen: GuardedScreen>(_ screen: Screen.Type) -> Screen? {
    guard let session else { return nil }
    let screen = Screen(session: session)
    open(screen, with: session)
    return screen
  }

  /// Makes a screen follow its session for as long as the screen lives.
  ///
  /// Before this returns, the screen gets the current key if the key has changed, or is dismissed
  /// if the session has ended. The form without a key creates a screen and calls this; call it
  /// yourself for a screen with another initializer. Opening an open screen again has no effect.
  /// Open a screen only in the store of its key: another store does not know that session, and
  /// dismisses the screen with ``EndReason/revoked`` even if the key is live.
  ///
  /// - Parameters:
  ///   - screen: Held weakly.
  ///   - session: The key that the screen was created from. A screen for one user never gets the
  ///     key of another.
  public func open(_ screen: some GuardedScreen & Sendable, with session: LoggedInSession) {
    core.open(screen, session)
  }

  /// Makes a screen of the main actor follow its session for as long as the screen lives.
  ///
  /// The calls come on the main actor, in the order of the changes. A change since the key was
  /// created is reported before this returns. A command that you await returns after it dismissed
  /// the screen.
  ///
  /// - Parameters:
  ///   - screen: Held weakly.
  ///   - session: The key that the screen was created from. A screen for one user never gets the
  ///     key of another.
  @MainActor public func open(_ screen: some GuardedScreen, with session: LoggedInSession) {
    core.openOnMainActor(screen, session)
  }

  // MARK: Commands

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
      reaction.isTransition ? inner.awaited.begin(\.restore) : nil
    }
    if let promise { return await core.waiting(atMost: limit) { await promise.value() ?? .cancelled } }
    switch core.withLock({ core.snapshot($0) }) {
    case .loggedIn(let session), .renewing(let session), .challenged(_, .some(let session)): return .loggedIn(session)
    case .loggedOut(let reason): return .loggedOut(reason)
    case .restoring, .authenticating, .challenged(_, .none), .loggingOut: return .overtaken
    }
  }

  /// What could not be cleaned up of the last session that ended, after a logout or a switch of
  /// users, until the state changes again.
  public var leftovers: IncompleteCleanup {
    core.observed.state
    switch core.withLock({ $0.machine.state }) {
    case .loggedOut(let state): return state.leftovers
    case .loggedIn(let state): return state.predecessor
    case .restoring, .authenticating, .challenged, .renewing, .loggingOut: return .none
    }
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
  ///   - credentials: What the user entered.
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
    core.begin(.logIn, nil, .credentials(credentials, limits))
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
    return try await core.waiting(atMost: limit) { [core] () async throws(SessionError) in
      try await core.work(.switchUser, submitting: .credentials(credentials, limits))
    }
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
    let username = core.withLock { [core] inner in core.key(inner)?.user.username } ?? ""
    let credentials = Credentials.password(username: username, password: password)
    return try await reauthenticate(with: credentials, limits: limits, within: limit)
  }

  /// Checks credentials of the current user again, such as the code of a new login at a server; see
  /// ``reauthenticate(password:limits:within:)``.
  ///
  /// - Returns: The key with the new limits, or the challenge of a second step.
  /// - Throws: ``SessionError``; refused credentials do not end the session.
  public func reauthenticate(
    with credentials: Credentials, limits: LimitRequest = LimitRequest(), within limit: Duration? = nil
  ) async throws(SessionError) -> LoginResult {
    try await core.waiting(atMost: limit) { [core] () async throws(SessionError) in
      try await core.work(.reauthenticate, submitting: .credentials(credentials, limits))
    }
  }

  /// Answers the second step of a login, a switch of users or a reauthentication.
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
    if core.switchWaitsForAnswer, core.isInsideLease { throw .insideLease }
    core.expireChallenge()
    let answered = core.begin(.answer, challenge.token, .answer(answer))
    return try await core.waiting(atMost: limit) { () async throws(SessionError) in try await answered.value() }
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
  /// sends at most three renewals in a minute; after those it sends none, because the activity is
  /// already recorded.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key of the session that was active at the call, never that of another session
  ///   or user.
  /// - Throws: ``SessionError/ended(_:)`` when the session ended meanwhile, even if another one
  ///   replaced it. ``SessionError/rejected(_:)`` with `renewalsFailed` when all renewals of this
  ///   minute failed, and with `alreadyInProgress` while a second step of this session waits for
  ///   its answer.
  @discardableResult
  public func renew(within limit: Duration? = nil) async throws(SessionError) -> LoggedInSession {
    let meant = core.withLock { [core] inner in core.key(inner) }
    let session = try await core.waiting(atMost: limit) { [core] () async throws(SessionError) in
      try await core.session(of: .renew)
    }
    if let meant, meant.gate !== session.gate { throw .ended(meant.endReason ?? .switchedUser) }
    return session
  }

  /// Checks the vault and the authority for changes by other processes.
  ///
  /// This is not activity. Call it when the vault or the account may have changed. It waits for
  /// other work on the session. The check itself fails after `renewalStep` of ``SessionTiming`` if
  /// no answer comes. While a second step of this session waits for its answer, the check finds out
  /// only whether the session has ended; the store adopts other changes after the second step.
  ///
  /// - Parameter limit: How long to wait for the result; see ``restore(within:)``.
  /// - Returns: The key of the current session; that of another user if another process logged in
  ///   that user.
  /// - Throws: ``SessionError/ended(_:)`` when the session had ended before the call or according
  ///   to the check. ``SessionError/rejected(_:)`` with `notLoggedIn` when there was no session:
  ///   call ``restore(within:)`` first. Other cases when the check failed and nothing changed.
  @discardableResult
  public func check(within limit: Duration? = nil) async throws(SessionError) -> LoggedInSession {
    try await core.waiting(atMost: limit) { [core] () async throws(SessionError) in
      try await core.session(of: .check)
    }
  }

  /// Keeps the session of the user who is logged in active until it ends: for a daemon.
  ///
  /// It renews the session when half of the time to the idle limit has passed. If that fails, it
  /// tries again after 5 seconds, then after twice the wait of before, at most 5 minutes; not
  /// before the time that an authority asks for, and at least twice before the idle limit. So it
  /// survives an authority that is unreachable for less than the idle limit. It keeps the store
  /// alive.
  ///
  /// - Returns: Why the session has ended.
  /// - Throws: ``SessionError/rejected(_:)`` with `notLoggedIn` when nobody is logged in;
  ///   ``SessionError/cancelled`` when the calling task is cancelled. The session then continues.
  public func keepAlive() async throws(SessionError) -> EndReason {
    guard let key = session else { throw .rejected(.notLoggedIn) }
    return try await core.keepAlive(key)
  }

  /// Reports that the authority refused an effect because the session has ended.
  ///
  /// Call it when the authority answered an effect with ``SessionRejection/ended(_:)``; you can
  /// call it inside a lease. After ``SessionRejection/superseded`` call ``check(within:)``.
  ///
  /// The keys are dead when this returns. Open screens are dismissed without waiting for the
  /// cleanup or for another request to the authority: before this returns, unless another thread is
  /// notifying observers. Screens of the main actor are dismissed there, as soon as it is free.
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
    core.send(.ended(session.record.began, reason), for: session.gate) { _, _ in }
  }

  /// Ends the session.
  ///
  /// The logout always ends, and nobody is logged in afterwards, whatever fails. After
  /// ``LogoutResult/complete`` no lease is running. After ``LogoutResult/partial(_:causes:)`` a
  /// lease may be running, and the result says so.
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
  /// The keys are dead when the call returns.
  @discardableResult
  public func beginLogOut() -> PendingLogout {
    let (_, promise) = core.send(.command(.logOut)) { reaction, inner in
      reaction.isTransition ? inner.awaited.begin(\.logout) : nil
    }
    if promise == nil { core.retryRevocations() }
    return PendingLogout(promise)
  }
}
