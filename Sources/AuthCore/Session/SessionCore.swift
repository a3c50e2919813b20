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
    var revision: UInt64 = 0
    var observers: [any Observer] = []
    /// What is still to be told, in order.
    var outbox: [Delivery] = []
    /// Whether somebody is telling it. There is one at a time, so that the order holds.
    var isDelivering = false
    var awaited = Awaited()
    /// The credentials of the authentication that is about to start.
    var credentials: SubmittedCredentials?
    /// The last operation on the vault; the next one waits for it, so that writes land in order.
    var lastVaultOperation: Promise<Void>?
    var timers = SessionTimers()
    var isShutDown = false
  }

  /// One thing to do with no lock held.
  enum Delivery {
    case change(SessionChange, [any Observer])
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
  ///   - failure: What the caller who awaits this is told if the event leads nowhere.
  ///   - prepare: Runs under the same lock, with the reaction.
  @discardableResult
  func send<Result: Sendable>(
    _ event: SessionEvent, failure: SessionFailure? = nil,
    _ prepare: (Reaction, inout Inner) -> Result
  ) -> (Reaction, Result) {
    let (reaction, turn, result) = inner.withLock { inner in
      let before = inner.machine.state
      let reaction = inner.machine.handle(event)
      let turn = VaultTurn.take(for: reaction.effects, &inner.lastVaultOperation)
      let result = prepare(reaction, &inner)
      record(reaction, from: before, failure, &inner)
      return (reaction, turn, result)
    }
    deliver()
    for effect in reaction.effects { run(effect, turn) }
    if case .transition(let step) = reaction, step.to == .loggedIn { enforceLimits() }
    return (reaction, result)
  }

  /// Hands an event to the machine; see ``send(_:failure:_:)``.
  @discardableResult
  func send(_ event: SessionEvent, failure: SessionFailure? = nil) -> Reaction {
    send(event, failure: failure) { _, _ in }.0
  }

  private func record(
    _ reaction: Reaction, from before: SessionState, _ failure: SessionFailure?, _ inner: inout Inner
  ) {
    guard case .transition(let transition) = reaction else { return }
    let state = inner.machine.state
    if case .loggingOut(let ending) = state, transition.effects.contains(where: \.closesKeys) {
      inner.gate?.close(ending.reason)
    }
    if state.session != nil, before.session?.began != state.session?.began {
      inner.gate = LeaseGate(clock: clock)
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
      let gone = observers.filter { !$0.receive(change) }
      guard !gone.isEmpty else { return }
      inner.withLock { inner in
        inner.observers.removeAll { observer in gone.contains { $0 === observer } }
      }
    case .settle(let settlement):
      settlement.fulfil()
    case .cancel(let timer):
      timer.cancel()
    }
  }

  /// Registers an observer and tells it the present state, in one step.
  func attach(_ observer: any Observer) {
    let isShutDown = inner.withLock { inner in
      guard !inner.isShutDown else { return true }
      inner.observers.append(observer)
      inner.outbox.append(.change(change(inner), [observer]))
      return false
    }
    if isShutDown { observer.finish() } else { deliver() }
  }

  /// The store is gone: keys die, streams end, timers stop. Nothing is revoked or erased; the session may be restored.
  func shutDown() {
    let observers = inner.withLock { inner in
      inner.isShutDown = true
      inner.gate?.close(.storeReleased)
      for timer in inner.timers.all() { inner.outbox.append(.cancel(timer)) }
      defer { inner.observers = [] }
      return inner.observers
    }
    deliver()
    for observer in observers { observer.finish() }
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
