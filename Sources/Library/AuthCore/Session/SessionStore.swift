public import Observation

/// The main entry point: restores, begins, renews and ends a session, and notifies observers.
///
/// The store owns the session machine behind one lock. It decides under the lock and acts after it.
/// It saves a change first, then exposes it, then notifies observers. A logout works in a different
/// order, so that no failure can stop it: it kills the keys, waits for the leases, revokes the
/// token, erases it, and notifies observers. A cancelled waiter returns immediately, and the work
/// continues.
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
  ///   - executor: The threads on which the store calls the authority and the vault.
  public init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock,
    timing: SessionTiming = SessionTiming(), executor: WorkExecutor = .separateThreads
  ) {
    core = SessionCore(authority: authority, vault: vault, clock: clock, timing: timing, executor: executor)
  }

  deinit {
    core.shutDown()
  }

  // MARK: State

  /// The current state of the session.
  ///
  /// Reading it inside `withObservationTracking`, or in a SwiftUI body, tracks it.
  ///
  /// After a notification, read the state again: several changes may cause one notification, and
  /// `onChange` already sees the new state. The system does not notify you of a change that comes
  /// after you read the state and before `withObservationTracking` returns. Compare ``revision``
  /// once more after it returned, so that you never miss the last change.
  public var state: SessionSnapshot {
    core.observing { $0.snapshot }
  }

  /// The number of the last change.
  ///
  /// It is tracked like ``state``, and only increases.
  public var revision: UInt64 {
    core.observing { $0.revision }
  }

  /// The key, while a user is logged in.
  ///
  /// It is tracked separately from ``state``: a view that reads only the key is redrawn when the
  /// key changes, not when a check found nothing new.
  public var session: LoggedInSession? {
    _ = core.observedKey.value
    return core.withLock { $0.key }
  }

  /// The cleanup that remains after a logout or a switch of users, until the state changes again.
  public var leftovers: IncompleteCleanup {
    switch core.observing({ $0.machine.state }) {
    case .loggedOut(let state): state.leftovers
    case .loggedIn(let state): state.predecessor
    case .restoring, .authenticating, .challenged, .renewing, .loggingOut: .none
    }
  }

  /// The current state, then every later change, in order; each iterator gets all of them.
  ///
  /// A subscriber that falls behind by more than 256 changes misses the oldest ones, and
  /// ``SessionChange/missed`` says how many. The sequence ends when the store is released or the
  /// iterating task is cancelled. It keeps neither of them alive.
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
    let calls = ObserverCalls()
    core.start(Observer(observer) { calls.tell($0, $1) })
  }

  /// Notifies `observer` who is logged in, now and after every change, for as long as it lives, on
  /// the main actor; see ``SessionObserver``.
  ///
  /// No call is lost, and they come in the order of the changes. The first one comes before this
  /// returns, even inside a call of another observer; see the other ``attach(_:)``. A caller that
  /// awaits a command gets the result after the calls that it caused.
  @MainActor public func attach(_ observer: some SessionObserver) {
    let calls = ObserverCalls()
    core.startOnMainActor(Observer(onMainActor: observer) { calls.tell($0, $1) })
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
    let calls = ScreenCalls(session)
    core.start(Observer(screen, in: session) { calls.tell($0, $1) })
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
    let calls = ScreenCalls(session)
    core.startOnMainActor(Observer(onMainActor: screen, in: session) { calls.tell($0, $1) })
  }
}
