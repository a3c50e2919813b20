import Guards

/// The lock of a store and the state behind it: decides under the lock, acts after it.
///
/// Effects and open streams hold the core and not the store, so that dropping the store can end
/// them.
final class SessionCore: Sendable {
  let authority: any Authority
  let vault: any SessionVault
  let clock: any SessionClock
  let timing: SessionTiming
  let place: WorkPlace
  let observed = ObservedState()
  let inbox = MainActorInbox()
  /// The deliveries to make, added under the lock; one thread at a time makes them, without it.
  private let outbox = OrderedQueue<Delivery>()
  private let inner: Locked<Inner>

  struct Inner {
    var machine: SessionMachine
    /// The gate of the active session, or of the one that is ending.
    var gate: LeaseGate?
    /// The renewals of the active session.
    var renewals = RenewalBudget()
    /// The gates of earlier sessions whose leases did not end in time.
    var overdue: [LeaseGate] = []
    var revision: UInt64 = 0
    /// The key of the last change, to tell the changes of the key from the others.
    var toldKey: LoggedInSession?
    var observers: [Observer] = []
    /// With more observers than this, the core removes those whose targets are gone.
    var crowded = 16
    var awaited = Awaited()
    /// Tokens that are no longer in use, or came too late, and that the authority has not yet
    /// confirmed as dead; the next logout tries again.
    var unrevoked: [SessionToken] = []
    /// The last change of the vault; the next operation waits for it, so that changes reach the
    /// vault in order.
    var lastVaultChange: Promise<Void>?
    var timers = SessionTimers()
    var isShutDown = false
    /// The last steps of the machine, where a view of it asked for them.
    var steps: MachineSteps?

    /// All gates that may have running leases.
    var gates: [LeaseGate] { overdue + [gate].compactMap(\.self) }
  }

  /// Something to do with no lock held.
  enum Delivery {
    case change(SessionChange, isOfKey: Bool, [Observer])
    case finish([Observer])
    case settle(Settlement)
    case cancel(Task<Void, Never>)
    /// Start the timer of the limits that the authority gave.
    ///
    /// It comes before the change, so that the timer runs when somebody gets to know of them.
    case watchLimits
  }

  init(
    authority: any Authority, vault: any SessionVault, clock: any SessionClock, timing: SessionTiming,
    place: WorkPlace
  ) {
    self.place = place
    self.authority = authority
    self.vault = vault
    self.clock = clock
    self.timing = timing
    inner = Locked(Inner(machine: SessionMachine()))
  }

  func withLock<Result>(_ body: (inout sending Inner) -> sending Result) -> sending Result {
    inner.withLock(body)
  }

  // MARK: Deciding

  /// Gives an event to the machine, notifies observers, and starts the work that the reaction
  /// names.
  ///
  /// - Parameters:
  ///   - event: What happened, or what a caller wants.
  ///   - failure: The error for the waiting caller if the event fails.
  ///   - gate: The session that the event is for; once that is over, the event is ignored. Nil
  ///     means whatever session is active.
  ///   - now: When a renewal is reported; it counts against the budget if it begins.
  ///   - submitted: The credentials for an authentication that this event starts. They stay with
  ///     the event, because an observer may send another event before this one's work has started.
  ///   - prepare: Runs under the same lock, with the reaction.
  /// - Returns: The reaction, and the result of `prepare`.
  @discardableResult
  func send<Result: Sendable>(
    _ event: SessionEvent, failure: SessionError? = nil, for gate: LeaseGate? = nil, at now: BootInstant? = nil,
    submitting submitted: SubmittedCredentials? = nil, _ prepare: (Reaction, inout Inner) -> Result
  ) -> (Reaction, Result) {
    let (reaction, ticket, after, result) = inner.withLock { inner in
      let before = inner.machine.state
      let reaction: Reaction
      if let gate, gate !== inner.gate || gate.isClosed {
        reaction = .ignored(.otherSession)
      } else if let now, case .loggedIn = before, let refusal = inner.renewals.spend(at: now, under: timing.renewal) {
        reaction = .rejected(refusal, permitted: before.permitted)
      } else {
        reaction = inner.machine.handle(event)
      }
      let after = inner.machine.state
      let ticket = VaultQueueTicket.take(for: reaction.effects, &inner.lastVaultChange)
      let result = prepare(reaction, &inner)
      if case .transition(let effects) = reaction {
        openGate(before.session, after.session, effects, &inner)
        tell(effects, after, failure, &inner)
      }
      inner.steps?.note(MachineStep(event, from: before, to: after, reaction))
      return (reaction, ticket, after, result)
    }
    deliver()
    for effect in reaction.effects { run(effect, ticket, submitted) }
    if reaction.isTransition, case .loggedIn = after { enforceLimits() }
    return (reaction, result)
  }

  /// Gives an event to the machine; see the other `send`.
  @discardableResult
  func send(_ event: SessionEvent, failure: SessionError? = nil) -> Reaction {
    send(event, failure: failure) { _, _ in }.0
  }

  /// Makes the gate follow the session: closed when it ends, a new one for another session.
  private func openGate(
    _ before: SessionRecord?, _ after: SessionRecord?, _ effects: [Effect], _ inner: inout Inner
  ) {
    for case .closeKeys(_, let reason) in effects { inner.gate?.close(reason) }
    guard let after, after != before else { return }
    guard after.began != before?.began else {
      inner.gate?.goOn(as: after)
      return
    }
    let gate = LeaseGate(clock: clock)
    // A login outlives the store that began it; a key does not.
    if inner.isShutDown { gate.close(.storeReleased) }
    inner.overdue = inner.gates.filter { $0.running > 0 }
    inner.gate = gate
    inner.renewals = RenewalBudget()
  }

  /// Adds what the reached state means for timers, observers and callers that wait, in this order: a
  /// timer runs when somebody gets to know of what it watches.
  private func tell(_ effects: [Effect], _ state: SessionState, _ failure: SessionError?, _ inner: inout Inner) {
    for timer in inner.timers.outdated(by: state) { outbox.add(.cancel(timer)) }
    if timing.watchesLimits, let limits = state.watchedLimits, limits != inner.timers.watch?.watched {
      outbox.add(.watchLimits)
    }
    if effects.contains(.notify) {
      inner.revision += 1
      let change = change(inner)
      let key = change.snapshot.session
      outbox.add(.change(change, isOfKey: key != inner.toldKey, inner.observers))
      inner.toldKey = key
    }
    for settlement in inner.awaited.settle(state, key(inner), failure) { outbox.add(.settle(settlement)) }
  }

  func key(_ inner: borrowing Inner) -> LoggedInSession? {
    guard let record = inner.machine.state.session, let gate = inner.gate else { return nil }
    return LoggedInSession(record, gate)
  }

  /// Whether the calling task is inside a lease that a logout would wait for.
  var isInsideLease: Bool { withLock { $0.gates }.contains(where: \.isHeldByCurrentTask) }

  func change(_ inner: borrowing Inner) -> SessionChange {
    SessionChange(revision: inner.revision, snapshot: snapshot(inner))
  }

  func snapshot(_ inner: borrowing Inner) -> SessionSnapshot {
    SessionSnapshot(inner.machine.state, key(inner))
  }

  // MARK: Telling

  /// Makes the deliveries in the outbox; if another thread is delivering, that thread makes them.
  func deliver() {
    outbox.handle { delivery in
      switch delivery {
      case .change(let change, let isOfKey, let observers):
        observed.changed(withKey: isOfKey)
        tell(.change(change), observers)
        drop(observers.filter(\.isGone))
      case .finish(let observers): tell(.end, observers)
      case .settle(let settlement): inbox.settle(settlement)
      case .cancel(let timer): timer.cancel()
      case .watchLimits: watchLimits()
      }
    }
  }

  private func tell(_ news: Observer.News, _ observers: [Observer]) {
    for observer in observers {
      observer.add(news)
      observer.tell(inbox)
    }
  }

  func drop(_ gone: [Observer]) {
    guard !gone.isEmpty else { return }
    let gone = Set(gone.map { ObjectIdentifier($0) })
    inner.withLock { $0.observers.removeAll { gone.contains(ObjectIdentifier($0)) } }
  }

  /// Registers an observer and adds the present state to what it will be told, in one step.
  ///
  /// The caller tells it then, so that the first call is made whichever thread is delivering.
  ///
  /// - Returns: An observer that is already registered in its place; then nothing was done.
  @discardableResult
  func register(_ observer: Observer, unless isInItsPlace: ((Observer) -> Bool)? = nil) -> Observer? {
    let (other, crowd) = inner.withLock { inner -> (Observer?, [Observer]) in
      if let isInItsPlace, let other = inner.observers.first(where: isInItsPlace) { return (other, []) }
      guard !inner.isShutDown else {
        observer.add(.end)
        return (nil, [])
      }
      inner.observers.append(observer)
      observer.add(.change(change(inner)))
      return (nil, inner.observers.count > inner.crowded ? inner.observers : [])
    }
    if !crowd.isEmpty { thinOut(crowd) }
    return other
  }

  /// Removes observers whose targets are gone, when no change has removed them: where screens come
  /// and go and nothing changes, there are at most twice as many observers as living screens.
  private func thinOut(_ crowd: [Observer]) {
    drop(crowd.filter(\.isGone))
    inner.withLock { $0.crowded = max(16, 2 * $0.observers.count) }
  }

  /// The store is gone: keys die, streams end, screens close, waiters get an error, timers stop.
  ///
  /// Nothing is revoked or erased: another store can restore the session. Only a challenge is
  /// withdrawn, because nobody can answer it now. A logout under way goes on and ends.
  func shutDown() {
    if let challenge = waitingChallenge?.challenge { revokeInBackground(challenge.token, .userAsked) }
    inner.withLock { inner in
      inner.isShutDown = true
      inner.gate?.close(.storeReleased)
      if let timer = inner.timers.watch.take() { outbox.add(.cancel(timer.task)) }
      for settlement in inner.awaited.abandon() { outbox.add(.settle(settlement)) }
      outbox.add(.finish(inner.observers))
      inner.observers = []
    }
    deliver()
  }
}
