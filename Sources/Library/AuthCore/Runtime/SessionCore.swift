import ConcurrencyKit

/// The lock of a store and the state behind it: decides under the lock, acts after it.
///
/// One event, from its arrival to its end: `send` asks the machine and, under the same lock, adds
/// what follows to the outbox, in order: timers, observers, waiting callers. Without the lock,
/// `deliver` (Observers.swift) empties the outbox, and `run` (SessionWork.swift) starts the work,
/// whose completion is the next event. A caller of a command waits for its promise (Waiting.swift),
/// which the state that decides it settles (Awaited.swift).
///
/// Effects and open streams hold the core, not the store, so that releasing the store can end them.
final class SessionCore: Sendable {
  let authority: any Authority
  let vault: any SessionVault
  let clock: any SessionClock
  let timing: SessionTiming
  let executor: WorkExecutor
  let inbox = MainActorInbox()
  /// The pending deliveries: added under the lock, and made by one thread at a time without the
  /// lock.
  let outbox = OrderedQueue<@Sendable () -> Void>()
  /// For readers of the state: changes with every change of the session's state.
  let observedRevision = Observed<UInt64>(0)
  /// For readers of the key: changes only with the key.
  let observedKey = Observed<LoggedInSession?>(nil)
  private let inner = Locked(Inner())

  struct Inner {
    var machine = SessionMachine()
    /// The gate of the active or ending session.
    var gate: LeaseGate?
    /// The renewals of the active session for activity, and those for access tokens.
    var renewals = RenewalBudget()
    var accessRenewals = RenewalBudget()
    /// The gates of earlier sessions whose leases did not end in time.
    var overdue: [LeaseGate] = []
    var revision: UInt64 = 0
    var observers: [Observer] = []
    var awaited = Awaited()
    /// Unused or late tokens that the authority has not yet confirmed as dead; the next logout
    /// retries them.
    var unrevoked: [SessionToken] = []
    /// The number of such tokens that were dropped, because there were too many.
    var dropped = 0
    /// The token of the last exchange whose request was sent and brought no answer.
    var unanswered: SessionToken?
    /// The token that the vault holds since an exchange under a lock; its save has nothing to do.
    var settled: SessionToken?
    /// The grant for which a token was spent, and that could not be saved yet, and how often that
    /// failed.
    var unsaved: (old: SessionToken, grant: Grant, failures: Int)?
    /// The last change of the vault; the next operation waits for it, so that changes reach the
    /// vault in order.
    var lastVaultChange: Promise<Void>?
    var timers = SessionTimers()
    /// The requests to the authority that have not returned, also those that were given up.
    var asking: Set<Epoch> = []
    /// The number of works that have not ended.
    var running = 0
    /// Fulfilled when no work is running.
    var quiet: [Promise<Void>] = []
    /// The last steps of the machine, if `keepSteps` was called.
    var steps: MachineSteps?

    /// All gates that may have running leases.
    var gates: [LeaseGate] { overdue + [gate].compactMap(\.self) }

    /// The key of the active session.
    var key: LoggedInSession? {
      guard let record = machine.state.session, let gate else { return nil }
      return LoggedInSession(record: record, gate: gate)
    }

    var snapshot: SessionSnapshot { SessionSnapshot(machine.state, key) }

    var change: SessionChange { SessionChange(revision: revision, snapshot: snapshot) }
  }

  init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock, timing: SessionTiming,
    executor: WorkExecutor
  ) {
    self.executor = executor
    self.authority = authority
    self.vault = vault
    self.clock = clock
    self.timing = timing
  }

  func withLock<Result>(_ body: (inout sending Inner) -> sending Result) -> sending Result {
    inner.withLock(body)
  }

  // MARK: Deciding

  /// Sends an event to the machine, notifies observers, and starts the work in the reaction.
  ///
  /// - Parameters:
  ///   - event: What happened, or the command of a caller.
  ///   - failure: The error for the waiting caller if the work fails.
  ///   - submitted: The credentials for an authentication that this event starts. They are passed
  ///     with the event, because an observer may send another event before the work of this one has
  ///     started.
  ///   - answer: Answers the event under the same lock, in place of the machine, or returns nil.
  ///   - prepare: Runs under the same lock, with the reaction.
  /// - Returns: The reaction, and the result of `prepare`.
  @discardableResult
  func send<Result: Sendable>(
    _ event: SessionEvent, failure: SessionError? = nil, submitting submitted: Submitted? = nil,
    unless answer: (inout Inner) -> Reaction? = { _ in nil }, _ prepare: (Reaction, inout Inner) -> Result
  ) -> (Reaction, Result) {
    let (reaction, ticket, after, drained, observers, result) = inner.withLock { inner in
      let before = inner.machine.state
      let reaction = answer(&inner) ?? inner.machine.handle(event)
      let after = inner.machine.state
      let use = reaction.effects.map(\.vaultUse).max() ?? .none
      let ticket = use == .none ? nil : VaultQueueTicket(use, &inner.lastVaultChange)
      let result = prepare(reaction, &inner)
      var drained: [Promise<Void>] = []
      if case .transition(let effects) = reaction {
        drained = openGate(before.session, after.session, effects, &inner)
        // An error is that of the work under way only if it ends that work.
        let continues = failure != nil && before.awaitedEpoch == after.awaitedEpoch
        tell(effects, after, continues ? nil : failure, &inner)
      }
      if let now = inner.steps?.now() {
        inner.steps?.note(MachineStep(event, from: before, to: after, reaction, at: now))
      }
      return (reaction, ticket, after, drained, reaction.effects.contains(.notify) ? inner.observers : [], result)
    }
    for promise in drained { promise.fulfil(()) }
    deliver()
    tellMainActor(observers)
    for effect in reaction.effects { run(effect, ticket, submitted) }
    if reaction.isTransition, after.restingSession != nil, event != .released { enforceLimits() }
    return (reaction, result)
  }

  /// Sends an event to the machine; see the other `send`.
  ///
  /// If the machine accepts it, the result of the logout has `causes`, or says that the authority
  /// cannot revoke a token.
  @discardableResult
  func send(
    _ event: SessionEvent, failure: SessionError? = nil, causes: [String] = [], cannotRevoke: Bool = false
  ) -> Reaction {
    send(event, failure: failure) { reaction, inner in
      guard reaction.isTransition else { return }
      inner.awaited.causes += causes
      if cannotRevoke { inner.awaited.cannotRevoke = true }
    }.0
  }

  /// Updates the gate: closes it when the session ends, creates one for another session.
  ///
  /// - Returns: The promises to fulfil without the lock, because gates were closed without a lease.
  private func openGate(
    _ before: SessionRecord?, _ after: SessionRecord?, _ effects: [Effect], _ inner: inout Inner
  ) -> [Promise<Void>] {
    var drained: [Promise<Void>] = []
    for case .closeKeys(_, let reason) in effects {
      if let promise = inner.gate?.close(reason) { drained.append(promise) }
    }
    guard let after, after != before else { return drained }
    defer {
      if let gate = inner.gate, let token = after.accessToken, token != before?.accessToken {
        // If the clock cannot be read, its time begins when it is first lent.
        outbox.add { [clock] in if let now = try? clock.now() { gate.since(token, at: now) } }
      }
    }
    guard after.began != before?.began else {
      inner.gate?.goOn(as: after)
      return drained
    }
    let gate = LeaseGate(after, clock: clock, core: self)
    // A login can outlive the store that began it; a key cannot.
    if inner.machine.isReleased, let promise = gate.close(.storeReleased) { drained.append(promise) }
    inner.overdue = inner.gates.filter { $0.running > 0 }
    inner.gate = gate
    (inner.renewals, inner.accessRenewals) = (RenewalBudget(), RenewalBudget())
    return drained
  }

  /// Adds the deliveries of the new state for timers, observers and waiting callers, in this order:
  /// a timer must run before observers see the limit that it watches.
  private func tell(_ effects: [Effect], _ state: SessionState, _ failure: SessionError?, _ inner: inout Inner) {
    for timer in inner.timers.outdated(by: state) { outbox.add { timer.cancel() } }
    if timing.watchesLimits, let limits = state.watchedLimits, limits != inner.timers.watch?.watched {
      outbox.add { [self] in watchLimits() }
    }
    if effects.contains(.notify) {
      inner.revision += 1
      let (change, observers) = (inner.change, inner.observers)
      for observer in observers { observer.add(.change(change)) }
      outbox.add { [self] in notify(observers, of: change) }
    }
    for settlement in inner.awaited.settle(state, inner.key, failure) {
      outbox.add { [inbox] in inbox.settle(settlement.fulfil) }
    }
  }

  /// Whether the calling task, or the one for which it waits, is inside a lease that a logout would
  /// wait for.
  var isInsideLease: Bool { Caller.isInsideLease || withLock { $0.gates }.contains(where: \.isHeldByCurrentTask) }

  /// Shuts down when the store is released: keys die, streams end, screens close, waiters get an
  /// error, timers stop.
  ///
  /// This revokes and erases nothing, so another store can restore the session. It withdraws only a
  /// challenge, because no caller can answer it now. A logout under way continues to its end.
  func shutDown() {
    let (_, observers) = send(.released) { _, inner in
      if let timer = inner.timers.watch.take()?.task { outbox.add { timer.cancel() } }
      for settlement in inner.awaited.abandon() { outbox.add { [inbox] in inbox.settle(settlement.fulfil) } }
      let observers = inner.observers
      for observer in observers { observer.add(.end) }
      outbox.add { [self] in notify(observers) }
      inner.observers = []
      return observers
    }
    tellMainActor(observers)
  }
}
