import Guards

/// The lock of a store and what is behind it: decides under the lock, acts after it.
///
/// The store is its face; effects and open streams hold the core, so that dropping the store can end them.
final class SessionCore: Sendable {
  let authority: any Authority
  let vault: any SessionVault
  let clock: any SessionClock
  let timing: SessionTiming
  let observed = ObservedState()
  private let inner: Locked<Inner>

  struct Inner {
    var machine: SessionMachine
    /// The gate of the session that stands or is being ended.
    var gate: LeaseGate?
    /// The gates of sessions before it whose leases did not end in time.
    var overdue: [LeaseGate] = []
    var revision: UInt64 = 0
    var observers: [any Observer] = []
    /// With more observers than this, those whose targets are gone are looked for.
    var crowded = 16
    /// What is still to be told, in order.
    var outbox: [Delivery] = []
    /// Whether somebody is telling it.
    ///
    /// There is one at a time, so that the order holds.
    var isDelivering = false
    var awaited = Awaited()
    /// Tokens that were taken out of use, or came too late to be used, and that the authority did
    /// not yet say are dead; the next logout tries again.
    var unrevoked: [SessionToken] = []
    /// The last change of the vault; the next operation waits for it, so that changes land in order.
    var lastVaultChange: Promise<Void>?
    var timers = SessionTimers()
    var isShutDown = false

    /// All gates that may have leases running.
    var gates: [LeaseGate] { overdue + [gate].compactMap(\.self) }
  }

  /// One thing to do with no lock held.
  enum Delivery {
    case change(SessionChange, [any Observer])
    /// The present state, for one who has just come; for everybody else nothing changed.
    case greet(SessionChange, any Observer)
    case finish([any Observer])
    case settle(Settlement)
    case cancel(Task<Void, Never>)
  }

  init(authority: any Authority, vault: any SessionVault, clock: any SessionClock, timing: SessionTiming) {
    self.authority = authority
    self.vault = vault
    self.clock = clock
    self.timing = timing
    inner = Locked(Inner(machine: SessionMachine(policy: timing.renewal)))
  }

  func withLock<Result>(_ body: (inout sending Inner) -> sending Result) -> sending Result {
    inner.withLock(body)
  }

  // MARK: Deciding

  /// Hands an event to the machine, tells whom it concerns, and starts the work that the reaction names.
  ///
  /// - Parameters:
  ///   - event: What happened, or what is asked for.
  ///   - failure: What the caller who awaits this is told if the event leads nowhere.
  ///   - gate: The session that this is meant for; once that is over, the event is ignored. Nil
  ///     means whatever session stands.
  ///   - submitted: What an authentication that this event starts is to present. It stays with the event, because an observer may
  ///     send another before this one's work has started.
  ///   - prepare: Runs under the same lock, with the reaction.
  /// - Returns: The reaction, and what `prepare` made of it.
  @discardableResult
  func send<Result: Sendable>(
    _ event: SessionEvent, failure: SessionError? = nil, for gate: LeaseGate? = nil,
    submitting submitted: SubmittedCredentials? = nil, _ prepare: (Reaction, inout Inner) -> Result
  ) -> (Reaction, Result) {
    let (reaction, ticket, result) = inner.withLock { inner in
      let before = inner.machine.state
      let isMeant = gate.map { $0 === inner.gate && !$0.isClosed } ?? true
      let reaction = isMeant ? inner.machine.handle(event) : .ignored(.otherSession)
      let ticket = VaultQueueTicket.take(for: reaction.effects, &inner.lastVaultChange)
      let result = prepare(reaction, &inner)
      record(reaction, from: before, failure, &inner)
      return (reaction, ticket, result)
    }
    deliver()
    for effect in reaction.effects { run(effect, ticket, submitted) }
    if case .transition(let step) = reaction, step.to == .loggedIn { enforceLimits() }
    return (reaction, result)
  }

  /// Hands an event to the machine; see ``send(_:failure:_:)``.
  @discardableResult
  func send(_ event: SessionEvent, failure: SessionError? = nil) -> Reaction {
    send(event, failure: failure) { _, _ in }.0
  }

  private func record(
    _ reaction: Reaction, from before: SessionState, _ failure: SessionError?, _ inner: inout Inner
  ) {
    guard case .transition(let transition) = reaction else { return }
    let state = inner.machine.state
    if case .loggingOut(let ending) = state, transition.effects.contains(where: \.closesKeys) {
      inner.gate?.close(ending.reason)
    }
    if state.session != nil, before.session?.began != state.session?.began {
      let gate = LeaseGate(clock: clock)
      // A login outlives the store that began it; a key does not.
      if inner.isShutDown { gate.close(.storeReleased) }
      inner.overdue = inner.gates.filter { $0.running > 0 }
      inner.gate = gate
    } else if let session = state.session, before.session !== session {
      inner.gate?.goOn(as: session)
    }
    for timer in inner.timers.outdated(by: state) { inner.outbox.append(.cancel(timer)) }
    if transition.effects.contains(.notify) {
      inner.revision += 1
      inner.outbox.append(.change(change(inner), inner.observers))
    }
    for settlement in inner.awaited.settle(state, key(inner), failure) { inner.outbox.append(.settle(settlement)) }
  }

  func key(_ inner: borrowing Inner) -> LoggedInSession? {
    guard let record = inner.machine.state.session, let gate = inner.gate else { return nil }
    return LoggedInSession(record, gate)
  }

  /// Whether the task that asks is inside a lease that a logout would wait for.
  var isInsideLease: Bool { withLock { $0.gates }.contains(where: \.isHeldByCurrentTask) }

  func change(_ inner: borrowing Inner) -> SessionChange {
    SessionChange(revision: inner.revision, snapshot: snapshot(inner))
  }

  func snapshot(_ inner: borrowing Inner) -> SessionSnapshot {
    switch (inner.machine.state, key(inner)) {
    case (.restoring(let state), _): .restoring(state.obstacle)
    case (.loggedOut(let state), _): .loggedOut(state.reason)
    case (.authenticating, _): .authenticating
    case (.loggedIn, .some(let key)): .loggedIn(key)
    case (.renewing, .some(let key)): .renewing(key)
    case (.loggingOut, _): .loggingOut
    case (.loggedIn, .none), (.renewing, .none):
      // A gate is made in the same step in which a session comes to stand.
      preconditionFailure("a session stands without a gate")
    }
  }

  // MARK: Telling

  /// Tells what is in the outbox, unless somebody is at it already; they will come to it.
  func deliver() {
    while true {
      let next = inner.withLock { inner -> Delivery? in
        guard !inner.isDelivering, !inner.outbox.isEmpty else { return nil }
        inner.isDelivering = true
        return inner.outbox.removeFirst()
      }
      guard let next else { return }
      tell(next)
      inner.withLock { $0.isDelivering = false }
    }
  }

  private func tell(_ delivery: Delivery) {
    switch delivery {
    case .change(let change, let observers):
      observed.changed()
      drop(observers.filter { !$0.receive(change) })
    case .greet(let change, let observer):
      if !observer.receive(change) { drop([observer]) }
    case .finish(let observers):
      for observer in observers { observer.finish() }
    case .settle(let settlement):
      settlement.fulfil()
    case .cancel(let timer):
      timer.cancel()
    }
  }

  func drop(_ gone: [any Observer]) {
    guard !gone.isEmpty else { return }
    let gone = Set(gone.map { ObjectIdentifier($0) })
    inner.withLock { $0.observers.removeAll { gone.contains(ObjectIdentifier($0)) } }
  }

  /// Registers an observer and tells it the present state, in one step.
  ///
  /// - Returns: One that is registered in its place, if there is one; then nothing was done.
  @discardableResult
  func attach(_ observer: any Observer, unless isInItsPlace: ((any Observer) -> Bool)? = nil) -> (any Observer)? {
    let (other, crowd) = inner.withLock { inner -> ((any Observer)?, [any Observer]) in
      if let isInItsPlace, let other = inner.observers.first(where: isInItsPlace) { return (other, []) }
      guard !inner.isShutDown else {
        inner.outbox.append(.finish([observer]))
        return (nil, [])
      }
      inner.observers.append(observer)
      inner.outbox.append(.greet(change(inner), observer))
      return (nil, inner.observers.count > inner.crowded ? inner.observers : [])
    }
    deliver()
    if !crowd.isEmpty { thinOut(crowd) }
    return other
  }

  /// Lets go of observers whose targets are gone, though no change has told so: where screens come and go and nothing changes, their number
  /// stays within twice the living.
  private func thinOut(_ crowd: [any Observer]) {
    // Looking at a weak reference can end the life of what it refers to, so it is done without the lock.
    drop(crowd.filter(\.isGone))
    inner.withLock { $0.crowded = max(16, 2 * $0.observers.count) }
  }

  /// The store is gone: keys die, streams end, screens close, whoever waits for a session is told, the limits are no longer watched.
  ///
  /// Nothing is revoked or erased; the session may be restored. A logout under way goes on and ends.
  func shutDown() {
    inner.withLock { inner in
      inner.isShutDown = true
      inner.gate?.close(.storeReleased)
      if let timer = inner.timers.limit.take() { inner.outbox.append(.cancel(timer.task)) }
      for settlement in inner.awaited.abandon() { inner.outbox.append(.settle(settlement)) }
      inner.outbox.append(.finish(inner.observers))
      inner.observers = []
    }
    deliver()
  }
}

extension Reaction {
  var effects: Effects {
    switch self {
    case .transition(let transition): transition.effects
    case .rejected: .none
    case .ignored(_, let cleanup): cleanup
    }
  }
}

extension Effect {
  var closesKeys: Bool {
    switch self {
    case .closeKeys: true
    case .read, .authenticate, .reauthenticate, .renew, .save, .exchange, .drain, .revoke, .erase, .forget, .confirm,
      .discard, .discardSaved, .notify:
      false
    }
  }
}
