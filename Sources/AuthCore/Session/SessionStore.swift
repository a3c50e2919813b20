import Guards
public import Observation

/// The main entry point: it restores, begins, renews and ends a session, and notifies observers.
///
/// The store owns the session machine behind one lock. It decides under the lock and acts after it.
/// It saves a change first, then exposes it, then notifies observers. A logout works the other way
/// round, so that no failure can stop it: keys dead, leases drained, token revoked, token erased,
/// observers notified. Work outlives a cancelled waiter: the waiter leaves at once, and the work
/// goes on.
///
/// The store calls the authority and the vault on threads of its own, so they may block, as those
/// of `AuthSQLite` do: neither the main actor nor any other task waits for a password hash.
///
/// Keep the store for as long as you need its keys: they die with it. The session itself goes on,
/// and another store can restore it.
///
/// ```swift
/// import AuthCore
///
/// func begin(_ authority: any Authority, _ vault: any SessionVault, _ clock: any SessionClock) async throws {
///   let store = SessionStore(authority: authority, vault: vault, clock: clock)
///   await store.restore()
///   let session = try await store.logIn(Credentials(username: "alice", password: Password("marble kettle window harvest")))
///   print(session.user.displayName)
/// }
/// ```
public final class SessionStore: Observable, Sendable {
  let core: SessionCore

  /// Creates a store at launch.
  ///
  /// Nothing is read before ``restore()``.
  ///
  /// - Parameters:
  ///   - authority: Decides about credentials and sessions.
  ///   - vault: Keeps the token of this device.
  ///   - clock: Measures the limits.
  ///   - timing: Time limits, and how often activity renews.
  ///   - worksOnCallingThread: True for a process that has nothing else to do, such as a
  ///     command-line program. The work of a command then begins on the thread that gives the
  ///     command and leaves it when it first suspends, so an authority or a vault that blocks,
  ///     blocks the caller. No thread is started.
  public init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock,
    timing: SessionTiming = SessionTiming(), worksOnCallingThread: Bool = false
  ) {
    core = SessionCore(
      authority: authority, vault: vault, clock: clock, timing: timing,
      place: worksOnCallingThread ? .callingThread : .ownThreads)
  }

  deinit {
    core.shutDown()
  }

  // MARK: State

  /// The present state of the session.
  ///
  /// Reading it inside `withObservationTracking`, or in a SwiftUI body, tracks it.
  ///
  /// The notification is a signal to read again: several changes may arrive as one, and `onChange`
  /// already sees the new state. The system does not signal a change between the reading and the
  /// moment when `withObservationTracking` returns. Compare ``revision`` once more after it
  /// returned, and you never miss the last change.
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

  /// The key, while somebody is logged in.
  ///
  /// It is tracked apart from ``state``: a view that reads only the key is drawn again when the key
  /// changes, and not when a check found nothing new.
  public var session: LoggedInSession? {
    core.observed.session
    return core.withLock { [core] inner in core.snapshot(inner) }.session
  }

  /// The present state, then every later change; each iterator gets all of them.
  public var transitions: SessionTransitions { transitions(bound: 256) }

  /// The same as ``transitions``, with another limit on how far a subscriber may fall behind.
  package func transitions(bound: Int) -> SessionTransitions {
    SessionTransitions(core: core, bound: bound)
  }

  /// Tells `stateful` who is logged in, now and after every change, for as long as it lives; see
  /// ``Stateful``.
  ///
  /// The first call comes on this thread before this returns, if there is something to tell: also
  /// while another thread notifies observers, and inside a call of an observer. Inside one, the new
  /// object gets to know the present state, which may be newer than the change that the surrounding
  /// call is about. Later calls come on whichever thread made the change. Attach an object once: an
  /// object that is attached twice is told twice.
  public func attach(_ stateful: some Stateful & Sendable) {
    core.attach(stateful)
  }

  /// Tells `stateful` who is logged in, now and after every change, for as long as it lives, on the
  /// main actor; see ``Stateful``.
  ///
  /// All calls come, in the order of the changes. The first one comes before this returns, also
  /// inside a call of another observer; see the other ``attach(_:)``. Somebody who awaits a command
  /// gets the result after the calls that it caused.
  @MainActor public func attach(_ stateful: some Stateful) {
    core.attachOnMainActor(stateful)
  }

  /// Makes a screen follow its session for as long as the screen lives.
  ///
  /// Before this returns, the screen gets the present key if that has changed since, or is dismissed
  /// if the session is over. `Screen(store)` calls this for you; opening an open screen again
  /// changes nothing. Open a screen only in the store of its key: another store does not know that
  /// session, and dismisses the screen with ``EndReason/revoked`` although the key may live.
  ///
  /// - Parameters:
  ///   - screen: Held weakly.
  ///   - session: The key that the screen was made from. A screen made for one user never gets the
  ///     key of another.
  public func open(_ screen: some GuardedScreen & Sendable, with session: LoggedInSession) {
    core.open(screen, session)
  }

  /// Makes a screen of the main actor follow its session for as long as the screen lives.
  ///
  /// The calls come on the main actor, in the order of the changes; what has changed since the key
  /// was made comes before this returns. A command that you await returns after it dismissed the
  /// screen.
  ///
  /// - Parameters:
  ///   - screen: Held weakly.
  ///   - session: The key that the screen was made from. A screen made for one user never gets the
  ///     key of another.
  @MainActor public func open(_ screen: some GuardedScreen, with session: LoggedInSession) {
    core.openOnMainActor(screen, session)
  }

  // MARK: Commands

  /// Finds out whether the session in the vault is still active.
  ///
  /// When the vault or the authority cannot be asked, or does not answer within `renewalStep` of
  /// ``SessionTiming``, the state stays `restoring`: that is not "logged out".
  @discardableResult
  public func restore() async -> RestoreOutcome {
    let (_, promise) = core.send(.command(.restore)) { reaction, inner in
      reaction.isTransition ? inner.awaited.begin(\.restore) : nil
    }
    if let promise { return await promise.value() ?? .cancelled }
    switch core.withLock({ core.snapshot($0) }) {
    case .loggedIn(let session), .renewing(let session), .challenged(_, .some(let session)): return .loggedIn(session)
    case .loggedOut(let reason): return .loggedOut(reason)
    case .restoring, .authenticating, .challenged(_, .none), .loggingOut: return .overtaken
    }
  }

  /// Begins a session.
  ///
  /// It ends after `loginStep` of ``SessionTiming`` when the authority does not answer.
  ///
  /// - Throws: ``SessionError``; then nobody is logged in, or the previous session goes on.
  @discardableResult
  public func logIn(
    _ credentials: Credentials, limits: LimitRequest = LimitRequest()
  ) async throws(SessionError) -> LoggedInSession {
    try await beginLogIn(credentials, limits: limits).value().session
  }

  /// Begins a session without waiting for the result, for use in an observer or a button.
  @discardableResult
  public func beginLogIn(_ credentials: Credentials, limits: LimitRequest = LimitRequest()) -> PendingSession {
    begin(.logIn, nil, SubmittedCredentials(credentials: credentials, limits: limits))
  }

  /// Logs in another user in place of the present one, who stays logged in if that fails.
  ///
  /// It waits for a renewal or a check that is under way. See `loginStep` of ``SessionTiming`` for an
  /// authority that does not answer.
  ///
  /// - Throws: ``SessionError``; the present session then goes on, unless it ended meanwhile.
  ///   ``SessionError/insideLease`` when the calling task is inside a lease, because the switch
  ///   would wait for it.
  @discardableResult
  public func switchUser(
    to credentials: Credentials, limits: LimitRequest = LimitRequest()
  ) async throws(SessionError) -> UserSwitch {
    if core.isInsideLease { throw .insideLease }
    return try await work(.switchUser, submitting: SubmittedCredentials(credentials: credentials, limits: limits))
  }

  /// Checks the password of the present user again, which makes the session fresh and its limits
  /// new.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Throws: ``SessionError``; a wrong password does not end the session.
  ///   ``SessionError/ended(_:)`` when the session ended while this waited: the store never checks
  ///   a password for another user than the one who was logged in at the call.
  @discardableResult
  public func reauthenticate(
    password: Password, limits: LimitRequest = LimitRequest()
  ) async throws(SessionError) -> LoggedInSession {
    let username = core.withLock { [core] inner in core.key(inner)?.user.username } ?? ""
    let credentials = Credentials(username: username, password: password)
    let submitted = SubmittedCredentials(credentials: credentials, limits: limits)
    return try await work(.reauthenticate, submitting: submitted).session
  }

  /// Answers the second step of a login, a switch of users or a reauthentication.
  ///
  /// ```swift
  /// import AuthCore
  ///
  /// func finish(
  ///   _ challenge: Challenge, _ store: SessionStore, ask: (Challenge) async -> Password?
  /// ) async throws(SessionError) -> LoggedInSession? {
  ///   guard let code = await ask(challenge) else {
  ///     store.cancel(challenge)
  ///     return nil
  ///   }
  ///   do throws(SessionError) {
  ///     return try await store.answer(code, to: challenge).session
  ///   } catch {
  ///     guard case .challenged(let next) = error else { throw error }  // wrong, and asked again
  ///     return try await finish(next, store, ask: ask)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - answer: What the user entered; it is as secret as a password.
  ///   - challenge: The one that ``SessionError/challenged(_:)`` or ``state`` has.
  /// - Returns: The key, and what remains to clean up of a session that it replaced.
  /// - Throws: ``SessionError/challenged(_:)`` when the answer is wrong and tries are left.
  ///   ``SessionError/rejected(_:)`` with `challengeOver` when the challenge is over; then the
  ///   session is as it was before the first step. Other cases when the answer was not checked; the
  ///   challenge is then still open.
  @discardableResult
  public func answer(_ answer: Password, to challenge: Challenge) async throws(SessionError) -> UserSwitch {
    if core.switchWaitsForAnswer, core.isInsideLease { throw .insideLease }
    core.expireChallenge()
    return try await begin(
      .answer, challenge.token,
      SubmittedCredentials(credentials: Credentials(username: "", password: answer), limits: LimitRequest())
    ).value()
  }

  /// Gives up a second step: everything is as it was before the first one.
  ///
  /// The authority takes no answer to the challenge any more. A challenge that is over stays so.
  public func cancel(_ challenge: Challenge) {
    core.send(.command(.cancel, challenge.token), failure: .rejected(.challengeOver))
  }

  /// Reports activity, which moves the idle limit.
  ///
  /// It waits for other work on the session, of which each step has a limit in ``SessionTiming``. The
  /// renewal itself ends after `renewalStep` when no answer comes.
  ///
  /// - Returns: The key of the session that was active at the call, never that of another session
  ///   or user, and whether the authority was asked: within a window of ``RenewalPolicy`` it is
  ///   asked only so many times.
  /// - Throws: ``SessionError/ended(_:)`` when the session ended meanwhile, also when another one
  ///   has replaced it. ``SessionError/rejected(_:)`` with `renewalsFailed` when all renewals of
  ///   this window failed, and with `alreadyInProgress` while a second step of this session waits
  ///   for its answer.
  @discardableResult
  public func renew() async throws(SessionError) -> Renewal {
    let meant = core.withLock { [core] inner in core.key(inner) }
    let result: Renewal
    do throws(SessionError) {
      result = .renewed(try await work(.renew).session)
    } catch {
      guard error == .rejected(.renewedRecently), let meant, meant.isLive else { throw error }
      return .recent(meant.newest)
    }
    if let meant, meant.gate !== result.session.gate { throw .ended(meant.endReason ?? .switchedUser) }
    return result
  }

  /// Asks the vault and the authority for changes by other processes.
  ///
  /// This is not activity. Call it when the vault or the account may have changed. It waits for
  /// other work on the session. The check itself ends after `renewalStep` of ``SessionTiming`` when
  /// no answer comes. While a second step of this session waits for its answer, the check finds out
  /// whether the session is over; other changes are taken over after the second step.
  ///
  /// - Returns: The key of the present session; that of another user if another process logged one
  ///   in.
  /// - Throws: ``SessionError/ended(_:)`` when the session is over, before the call or according to
  ///   the check. ``SessionError/rejected(_:)`` with `notLoggedIn` when there was no session: call
  ///   ``restore()`` first. Other cases when the check failed and nothing changed.
  @discardableResult
  public func check() async throws(SessionError) -> LoggedInSession {
    try await work(.check).session
  }

  /// Tells the store that the authority refused an effect because the session is over.
  ///
  /// The keys are dead when this returns, and open screens are dismissed without waiting for the
  /// cleanup or for another request to the authority: before this returns, unless another thread is
  /// notifying observers. Screens of the main actor are dismissed there, as soon as it is free. Call
  /// it, also inside a lease, when the authority answered an effect with
  /// ``SessionRejection/ended(_:)``; after ``SessionRejection/superseded`` call ``check()``.
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
  ///   - session: The key of the effect. A key of an ended session or of another store changes
  ///     nothing.
  ///   - reason: The authority's reason.
  public func reportEnded(_ session: LoggedInSession, because reason: EndReason) {
    core.send(.ended(session.record.began, reason), for: session.gate) { _, _ in }
  }

  /// Ends the session.
  ///
  /// The logout always ends, and nobody is logged in afterwards, whatever fails on the way. After
  /// ``LogoutResult/complete`` no lease runs; after ``LogoutResult/partial(_:causes:)`` one may,
  /// and the result says so.
  ///
  /// - Throws: ``LogoutError/insideLease`` when the calling task is inside a lease of this session.
  @discardableResult
  public func logOut() async throws(LogoutError) -> LogoutResult {
    if core.isInsideLease { throw .insideLease }
    return try await beginLogOut().value()
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
