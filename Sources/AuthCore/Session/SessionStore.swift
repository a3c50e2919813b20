public import Observation

/// The face of a session: restores, begins, renews and ends it, and tells whoever shows it.
///
/// It owns the session machine behind one lock, decides under the lock and acts after it. A change is persisted, then exposed, then
/// notified; a logout is the other way round, so that it wins whatever fails: keys dead, leases drained, token revoked, token erased, notified.
/// Work outlives a cancelled waiter: the waiter leaves at once, the work goes on.
///
/// Work begins on the thread that gives the command, also where the command is awaited, and leaves it when it first suspends. So an authority
/// or a vault that blocks, as those of `AuthLocal` do, blocks the caller: on the main actor, for the time of a password hash. Give the
/// command from a task that is not on the main actor, or wrap the authority in one whose functions are `@concurrent`.
///
/// Keep the store for as long as a key is to live: keys die with it. The session itself stands, and another store can restore it.
///
/// ```swift
/// import AuthCore
///
/// func begin(_ authority: any Authority, _ vault: any SessionVault, _ clock: any SessionClock) async throws {
///   let store = SessionStore(authority: authority, vault: vault, clock: clock)
///   await store.restore()
///   let session = try await store.logIn(Credentials(username: "alice", password: Password("correct horse battery")))
///   print(session.user.displayName)
/// }
/// ```
public final class SessionStore: Observable, Sendable {
  let core: SessionCore

  /// Creates a store at launch.
  ///
  /// Nothing is read before ``restore()``.
  public init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock, timing: SessionTiming = SessionTiming()
  ) {
    core = SessionCore(authority: authority, vault: vault, clock: clock, timing: timing)
  }

  deinit {
    core.shutDown()
  }

  // MARK: State

  /// Where the session stands now.
  ///
  /// Reading it inside `withObservationTracking`, or in a SwiftUI body, tracks it.
  ///
  /// It is a signal to read again: changes may coalesce, and `onChange` already sees the new state. A change between the reading and the
  /// moment at which `withObservationTracking` returns is not signalled by the system; compare ``revision`` once more after it
  /// returned, and the last change is never lost.
  public var state: SessionSnapshot {
    core.observed.state
    return core.withLock { [core] inner in core.snapshot(inner) }
  }

  /// The number of the last change.
  ///
  /// It is tracked like ``state``, and never goes back.
  public var revision: UInt64 {
    core.observed.state
    return core.withLock { $0.revision }
  }

  /// The key, while a session stands.
  public var session: LoggedInSession? { state.session }

  /// Every change from now on, the present state first; each iterator gets all of them.
  public var transitions: SessionTransitions { transitions(bound: 256) }

  /// The same with another bound on how far a subscriber may fall behind.
  public func transitions(bound: Int) -> SessionTransitions {
    SessionTransitions(core: core, bound: bound)
  }

  /// Tells `stateful` who is logged in, now and after every change, for as long as it lives; see ``Stateful``.
  ///
  /// Attach it once: attached twice, it is told twice.
  public func attach(_ stateful: some Stateful) {
    core.attach(StatefulObserver(stateful))
  }

  /// Has a screen follow the session it was made for, for as long as the screen lives.
  ///
  /// It is handed the present key if that has changed since, and dismissed at once if the session is over. ``GuardedScreen/init(_:)`` does this
  /// by itself, and opening a screen again changes nothing while it is open. Open a screen in the store of its key only: another one
  /// knows nothing of that session, and dismisses the screen with ``EndReason/revoked`` though the key may live.
  ///
  /// - Parameters:
  ///   - screen: Held weakly.
  ///   - session: The key that the screen was made from. A screen made for one user never gets the key of another.
  public func open(_ screen: some GuardedScreen, with session: LoggedInSession) {
    core.open(screen, session)
  }

  // MARK: Commands

  /// Finds out whether a session that the vault keeps still stands.
  ///
  /// A vault or an authority that cannot be asked leaves the state at `restoring`: that is not "logged out".
  @discardableResult
  public func restore() async -> RestoreOutcome {
    let (_, promise) = core.send(.restore) { reaction, inner in
      reaction.isTransition ? inner.awaited.beginRestore() : nil
    }
    if let promise { return await promise.value() ?? .cancelled }
    switch core.withLock({ core.snapshot($0) }) {
    case .loggedIn(let session), .renewing(let session): return .loggedIn(session)
    case .loggedOut(let reason): return .loggedOut(reason)
    case .restoring, .authenticating, .loggingOut: return .overtaken
    }
  }

  /// Begins a session.
  ///
  /// - Throws: ``SessionError``; nobody is logged in then, and what stood before stands.
  @discardableResult
  public func logIn(
    _ credentials: Credentials, limits: LimitRequest = .standard
  ) async throws(SessionError) -> LoggedInSession {
    try await beginLogIn(credentials, limits: limits).value().session
  }

  /// Begins a session without waiting for it: for an observer, or a button.
  ///
  /// It returns when the work first suspends: an authority or a vault that blocks, blocks the caller; see ``SessionStore``.
  @discardableResult
  public func beginLogIn(_ credentials: Credentials, limits: LimitRequest = .standard) -> PendingSession {
    begin(.logIn, SubmittedCredentials(credentials: credentials, limits: limits))
  }

  /// Logs another user in in place of the present one, who stays if that fails.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Throws: ``SessionError``; the present session is untouched then, unless it ended meanwhile. ``SessionError/insideLease`` when the
  ///   calling task is inside a lease, for whose end the switch would wait.
  @discardableResult
  public func switchUser(
    to credentials: Credentials, limits: LimitRequest = .standard
  ) async throws(SessionError) -> UserSwitch {
    if core.isInsideLease { throw .insideLease }
    return try await work(submitting: SubmittedCredentials(credentials: credentials, limits: limits)) {
      () throws(SessionError) in .switchUser
    }
  }

  /// Checks the password of the present user again, which makes the session fresh and its limits new.
  ///
  /// It waits for a renewal or a check that is under way.
  ///
  /// - Throws: ``SessionError``; a wrong password does not end the session.
  ///   ``SessionError/ended(_:)`` when the session ended while this waited: a password is never
  ///   checked for another user than the one who was logged in at the call.
  @discardableResult
  public func reauthenticate(
    password: Password, limits: LimitRequest = .standard
  ) async throws(SessionError) -> LoggedInSession {
    let username = core.withLock { [core] inner in core.key(inner)?.user.username } ?? ""
    let credentials = Credentials(username: username, password: password)
    return try await work(submitting: SubmittedCredentials(credentials: credentials, limits: limits)) {
      () throws(SessionError) in .reauthenticate
    }.session
  }

  /// Reports activity, which moves the idle limit.
  ///
  /// It waits for other work on the session. The renewal itself ends after
  /// ``SessionTiming/renewalStep`` when no answer comes.
  ///
  /// - Returns: The key of the session that stood at the call, never that of another session or
  ///   user.
  /// - Throws: ``SessionError/rejected(_:)`` with `renewedRecently` when the window is used up,
  ///   which needs no handling; ``SessionError/ended(_:)`` when the session ended meanwhile, also
  ///   where another one has taken its place.
  @discardableResult
  public func renew() async throws(SessionError) -> LoggedInSession {
    let meant = core.withLock { [core] inner in core.key(inner) }
    let renewed = try await work { () throws(SessionError) in
      do throws(ClockError) {
        return .renew(try core.clock.now())
      } catch {
        throw .clock(error)
      }
    }.session
    if let meant, meant.gate !== renewed.gate { throw .ended(meant.endReason ?? .switchedUser) }
    return renewed
  }

  /// Looks again, at the vault and the authority, for what another process changed.
  ///
  /// It is not activity. Call it when the vault or the account may have changed. It waits for other
  /// work on the session. The check itself ends after ``SessionTiming/renewalStep`` when no answer
  /// comes.
  ///
  /// - Returns: The key of the session that stands now; that of another user where another process
  ///   logged one in.
  /// - Throws: ``SessionError/ended(_:)`` when the session is over, before the call or by what
  ///   was found. ``SessionError/rejected(_:)`` with `notLoggedIn` or `alreadyInProgress` when
  ///   none has stood yet: call ``restore()`` first. Another case when it could not be found out
  ///   and nothing changed.
  @discardableResult
  public func check() async throws(SessionError) -> LoggedInSession {
    try await work(isCheck: true) { () throws(SessionError) in .check }.session
  }

  /// Tells the store that the authority refused an effect because the session is over.
  ///
  /// The keys are dead when this returns, and open screens are dismissed, without another question
  /// to the authority. Call it, also inside a lease, when an effect under the key was answered with
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
  ///   - session: The key under which the effect was asked for. One of a session that is over
  ///     already, or of another store, changes nothing.
  ///   - reason: What the authority said.
  public func reportEnded(_ session: LoggedInSession, because reason: EndReason) {
    core.send(.ended(session.record.began, reason), for: session.gate) { _, _ in }
  }

  /// Ends the session.
  ///
  /// It always ends, and nobody is logged in afterwards, whatever fails on the way. No lease runs
  /// after ``LogoutResult/complete``; after ``LogoutResult/partial(_:causes:)`` one may, and its
  /// result says so.
  ///
  /// - Throws: ``LogoutError/insideLease`` when the calling task is inside a lease of this session.
  @discardableResult
  public func logOut() async throws(LogoutError) -> LogoutResult {
    if core.isInsideLease { throw .insideLease }
    return try await beginLogOut().value()
  }

  /// Ends the session without waiting for it: for an observer, a button, or code inside a lease.
  ///
  /// The keys are dead when it returns, and it returns when the work first suspends: an authority or a vault that blocks, blocks the caller;
  /// see ``SessionStore``.
  @discardableResult
  public func beginLogOut() -> PendingLogout {
    let (_, promise) = core.send(.logOut) { reaction, inner in
      reaction.isTransition ? inner.awaited.beginLogout() : nil
    }
    if promise == nil { core.retryRevocations() }
    return PendingLogout(promise)
  }

  // MARK: Waiting

  private func begin(_ event: SessionEvent, _ submitted: SubmittedCredentials) -> PendingSession {
    let (reaction, promise) = core.send(event, submitting: submitted) { reaction, inner in
      reaction.isTransition ? inner.awaited.beginWork() : nil
    }
    return PendingSession(promise, reaction)
  }

  /// Gives a command that concerns a session, as soon as no other work on the session is under way.
  ///
  /// A check looks at whatever session stands; the others are for the one that stands at the call,
  /// and fail once that is over. The result of a check that begins after the call will do for
  /// another one, so that those who wait for the same work make one check afterwards and not one
  /// each.
  private func work(
    submitting submitted: SubmittedCredentials? = nil, isCheck: Bool = false,
    _ event: () throws(SessionError) -> SessionEvent
  ) async throws(SessionError) -> UserSwitch {
    let meant = isCheck ? nil : core.withLock { [core] inner in core.key(inner) }
    var hasWaited = false
    while true {
      let (reaction, now) = core.send(try event(), for: meant?.gate, submitting: submitted) { reaction, inner in
        Occupation(reaction.isTransition ? inner.awaited.beginWork() : inner.awaited.work, inner.machine.state)
      }
      switch reaction {
      case .transition: return try await PendingSession(now.promise, reaction).value()
      case .ignored: throw .ended(meant?.endReason ?? .switchedUser)
      case .rejected(let rejection):
        // While a switch of users ends the session before, a check waits for the next one.
        let isBusy =
          rejection.reason == .renewalInProgress
          || isCheck && rejection.reason == .logoutInProgress && now.promise != nil
        guard isBusy else {
          if isCheck, let reason = now.endReason { throw .ended(reason) }
          throw .rejected(rejection.reason)
        }
      }
      if isCheck, hasWaited, now.isChecking { return try await PendingSession(now.promise, reaction).value() }
      // Other work on the session is under way; its end is what this waits for, not its result.
      if let promise = now.promise, await promise.value() == nil { throw .cancelled }
      hasWaited = true
    }
  }
}

/// What the store was doing when a command was answered.
private struct Occupation: Sendable {
  /// The work under way.
  let promise: Promise<Result<UserSwitch, SessionError>>?
  /// Whether that is a check.
  let isChecking: Bool
  /// Why no session stands, where one did.
  let endReason: EndReason?

  init(_ promise: Promise<Result<UserSwitch, SessionError>>?, _ state: SessionState) {
    self.promise = promise
    switch state {
    case .renewing(let state): (isChecking, endReason) = (state.purpose == .check, nil)
    case .loggedOut(let state):
      isChecking = false
      switch state.reason {
      case .ended(let reason): endReason = reason
      case .neverLoggedIn: endReason = nil
      }
    case .loggingOut(let state): (isChecking, endReason) = (false, state.reason)
    case .restoring, .authenticating, .loggedIn: (isChecking, endReason) = (false, nil)
    }
  }
}

extension Reaction {
  var isTransition: Bool {
    switch self {
    case .transition: true
    case .rejected, .ignored: false
    }
  }
}
