import Guards

/// Timers under way.
struct SessionTimers {
  var step: (epoch: Epoch, task: Task<Void, Never>)?
  var limit: (session: SessionRecord, task: Task<Void, Never>)?

  /// Removes and returns the timers that the state no longer needs.
  mutating func outdated(by state: SessionState) -> [Task<Void, Never>] {
    var ended: [Task<Void, Never>] = []
    if let step, step.epoch != state.awaitedEpoch {
      ended.append(step.task)
      self.step = nil
    }
    if let limit, limit.session.began != state.session?.began {
      ended.append(limit.task)
      self.limit = nil
    }
    return ended
  }
}

extension SessionState.Kind {
  /// What starts the timer of limits that the authority gave, where the store comes to this state.
  var timer: SessionCore.Delivery? {
    switch self {
    case .loggedIn: .watchLimits
    case .challenged: .watchChallenge
    // A renewal keeps the timer that there is.
    case .restoring, .loggedOut, .authenticating, .renewing, .loggingOut: nil
    }
  }
}

extension SessionCore {
  /// Starts the time limit of a step, unless the step has already ended.
  ///
  /// The limit also holds when the store is gone: every step ends.
  ///
  /// - Parameters:
  ///   - effect: The step.
  ///   - end: The one passage for whoever ends the step. A write passes it before it reports.
  func limit(_ effect: Effect, _ end: Gatekeeper<Bool>) {
    guard let epoch = effect.epoch, withLock({ $0.machine.state.awaitedEpoch == epoch }) else { return }
    let limit = effect.timeLimit(timing)
    let task = startAtOnce { [self] in
      do {
        try await clock.sleep(for: limit)
      } catch {
        return  // Cancelled: the step has ended.
      }
      let leases = withLock { $0.gates.reduce(0) { $0 + $1.running } }
      guard let event = effect.overdue(leases: leases), end.attemptPassage() else { return }
      send(event, failure: effect.failureInTime) { reaction, inner in
        if reaction.isTransition, let cause = effect.causeInTime(limit) { inner.awaited.causes.append(cause) }
      }
    }
    keep(task) { state, timers in
      guard state.awaitedEpoch == epoch else { return false }
      timers.step = (epoch, task)
      return true
    }
  }

  /// Ends the active session if it has reached a limit.
  ///
  /// - Returns: Whether it has.
  @discardableResult
  func enforceLimits() -> Bool {
    guard let session = withLock({ $0.machine.state.session }) else { return false }
    let limit: SessionEvent.LimitReached
    switch limitVerdict(of: session) {
    case .live, nil: return false
    case .expired(.idle): limit = .idle
    case .expired(.absolute): limit = .absolute
    case .rebooted: limit = .rebooted
    }
    return send(.limitReached(session, limit)).isTransition
  }

  /// Nil when the clock cannot be read: nobody can tell, and the session stays.
  private func limitVerdict(of session: SessionRecord) -> SessionLimits.Verdict? {
    do {
      return session.grant.limits.verdict(at: try clock.now())
    } catch {
      return nil
    }
  }

  /// Starts a timer that looks at the limits of the active session when the next one is reached.
  func watchLimits() {
    guard let session = withLock({ $0.machine.state.session }) else { return }
    let wait: Duration
    do {
      let now = try clock.now()
      guard let earliest = session.grant.limits.earliest else { return }
      wait = earliest.wait(from: now)
    } catch {
      wait = waitForClock
    }
    let task = wake(after: wait) { if !$0.enforceLimits() { $0.watchLimits() } }
    keep(task, whileStoreStands: true) { state, timers in
      // Of two threads at once, the one with the newer limits wins.
      guard state.session === session else { return false }
      timers.limit = (session, task)
      return true
    }
  }

  /// How long a clock that cannot be read is left alone.
  private var waitForClock: Duration { max(timing.renewal.window, .seconds(1)) }

  /// Starts a timer, which sleeps before this returns: a clock that moves from now on wakes it.
  private func wake(after wait: Duration, _ body: @escaping @Sendable (SessionCore) -> Void) -> Task<Void, Never> {
    startAtOnce { [self] in
      do {
        // A limit may be centuries away, and few clocks can sleep so long. A check each day costs
        // nothing.
        try await clock.sleep(for: min(wait, .seconds(86_400)))
      } catch {
        return  // Cancelled: the limit has moved, or what it ends is over.
      }
      body(self)
    }
  }

  // MARK: The time to answer a challenge

  /// The challenge that waits for an answer, and the epoch of the wait.
  var waitingChallenge: Challenged? {
    withLock { inner in
      guard case .challenged(let state) = inner.machine.state, state.step == .waiting else { return nil }
      return state
    }
  }

  /// Whether a right answer would end the present session, and so wait for its leases.
  var switchWaitsForAnswer: Bool {
    waitingChallenge.map { $0.session != nil && $0.reauthenticated == nil } ?? false
  }

  /// Ends the present challenge if its deadline has passed.
  ///
  /// - Returns: Whether it has. When the clock cannot be read, nobody can tell, and it stays.
  @discardableResult
  func expireChallenge() -> Bool {
    guard let waiting = waitingChallenge else { return false }
    do {
      guard waiting.challenge.deadline.phase(at: try clock.now()) != .ahead else { return false }
    } catch {
      return false
    }
    send(.timedOut(waiting.epoch, leases: 0))
    return true
  }

  /// Starts a timer that ends the present challenge at its deadline.
  func watchChallenge() {
    guard let waiting = waitingChallenge else { return }
    let wait: Duration
    do {
      let now = try clock.now()
      switch waiting.challenge.deadline {
      case .at(let limit): wait = limit.wait(from: now)
      case .missing: wait = .zero
      case .off: return
      }
    } catch {
      wait = waitForClock
    }
    let task = wake(after: wait) { if !$0.expireChallenge() { $0.watchChallenge() } }
    keep(task, whileStoreStands: true) { state, timers in
      guard state.awaitedEpoch == waiting.epoch else { return false }
      timers.step = (waiting.epoch, task)
      return true
    }
  }

  // MARK: Work beside the machine

  /// The result of `work`; nil when none comes within the limit, or the waiting task is cancelled.
  ///
  /// The work goes on.
  func inTime<Value: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    let result = Promise<Value?>()
    place.start { result.fulfil(await work()) }
    if let value = result.kept { return value }
    let timer = startAtOnce { [clock] in
      do {
        try await clock.sleep(for: limit)
        result.fulfil(nil)
      } catch {
        return  // Cancelled: the work has ended.
      }
    }
    defer { timer.cancel() }
    return await result.value() ?? nil
  }

  /// Replaces the previous timer, or cancels the new one when its purpose is over.
  private func keep(
    _ task: Task<Void, Never>, whileStoreStands needsStore: Bool = false,
    _ place: (SessionState, inout SessionTimers) -> Bool
  ) {
    let outdated = withLock { inner -> [Task<Void, Never>] in
      let before = inner.timers
      guard !(needsStore && inner.isShutDown), place(inner.machine.state, &inner.timers) else { return [task] }
      return [
        before.step.flatMap { $0.task == inner.timers.step?.task ? nil : $0.task },
        before.limit.flatMap { $0.task == inner.timers.limit?.task ? nil : $0.task },
      ].compactMap(\.self)
    }
    for task in outdated { task.cancel() }
  }
}

extension BootInstant {
  /// How long it is until then; in another boot the numbers say nothing, and it is now.
  fileprivate func wait(from now: BootInstant) -> Duration {
    boot == now.boot ? max(.zero, uptime - now.uptime) : .zero
  }
}

extension Effect {
  fileprivate func timeLimit(_ timing: SessionTiming) -> Duration {
    switch self {
    case .authenticate, .reauthenticate, .answer: timing.loginStep
    case .drain, .revoke, .erase, .forget: timing.logoutStep
    case .read, .renew, .save, .exchange, .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify:
      timing.renewalStep
    }
  }

  /// The error for the callers of a command whose step exceeds its limit.
  fileprivate var failureInTime: SessionError? {
    switch self {
    case .read, .authenticate, .reauthenticate, .answer, .renew: .unavailable(.late)
    case .save, .exchange: .notSaved(.late)
    case .drain, .revoke, .erase, .forget, .confirm, .closeKeys, .discard, .discardSaved, .withdraw, .notify: nil
    }
  }

  /// The cause in the result of a logout whose step exceeds its limit.
  fileprivate func causeInTime(_ limit: Duration) -> String? {
    switch self {
    case .drain: "work under a lease did not end within \(limit)"
    case .revoke: "the authority did not answer a revocation within \(limit)"
    case .erase, .forget: "the vault did not forget the session within \(limit)"
    case .read, .authenticate, .reauthenticate, .answer, .renew, .save, .exchange, .confirm, .closeKeys, .discard,
      .discardSaved, .withdraw, .notify:
      nil
    }
  }
}
