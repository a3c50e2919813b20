/// Timers under way.
struct SessionTimers {
  var step: (epoch: Epoch, task: Task<Void, Never>)?
  var limit: (session: SessionRecord, task: Task<Void, Never>)?

  /// Removes and returns the timers that the state no longer needs.
  mutating func outdated(by state: SessionState) -> [Task<Void, Never>] {
    var ended: [Task<Void, Never>] = []
    if let step, step.epoch != state.stepUnderTimeLimit {
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

extension SessionState {
  /// The step of a logout, a renewal or a check that has a time limit.
  var stepUnderTimeLimit: Epoch? {
    switch self {
    case .loggingOut(let state): state.epoch
    case .renewing(let state): state.hasTimeLimit ? state.epoch : nil
    case .restoring, .loggedOut, .authenticating, .loggedIn: nil
    }
  }
}

extension SessionCore {
  /// Starts the time limit of the step that has just begun, if it has one and has not already
  /// ended.
  ///
  /// The limit also holds when the store is gone: a logout always ends.
  func limitStep(_ epoch: Epoch) {
    guard let step = withLock({ LimitedStep($0.machine.state, epoch) }) else { return }
    let limit = step.limit(timing)
    let task = Task {
      do {
        try await clock.sleep(for: limit)
      } catch {
        return  // Cancelled: the step has ended.
      }
      let leases = withLock { $0.gates.reduce(0) { $0 + $1.running } }
      send(.timedOut(epoch, leases: leases), failure: step.failure(limit)) { reaction, inner in
        if reaction.isTransition { inner.awaited.causes += step.causes(limit) }
      }
    }
    keep(task) { state, timers in
      guard state.stepUnderTimeLimit == epoch else { return false }
      timers.step = (epoch, task)
      return true
    }
  }

  /// Checks the limits of the active session: ends it, or checks again at the next limit.
  func enforceLimits() {
    guard let session = withLock({ $0.machine.state.session }) else { return }
    let limits = session.grant.limits
    let now: BootInstant
    do {
      now = try clock.now()
    } catch {
      // Nobody can tell: the session stays, and the clock is asked again.
      watchLimit(of: session, after: max(timing.renewal.window, .seconds(1)))
      return
    }
    switch limits.verdict(at: now) {
    case .live:
      if let earliest = limits.earliest { watchLimit(of: session, after: earliest.uptime - now.uptime) }
    case .expired(.idle): send(.limitReached(session.began, .idle))
    case .expired(.absolute): send(.limitReached(session.began, .absolute))
    case .rebooted: send(.limitReached(session.began, .rebooted))
    }
  }

  private func watchLimit(of session: SessionRecord, after duration: Duration) {
    guard timing.watchesLimits else { return }
    let task = Task {
      do {
        // A limit may be centuries away, and few clocks can sleep so long. A check each day costs
        // nothing.
        try await clock.sleep(for: min(duration, .seconds(86_400)))
      } catch {
        return  // Cancelled: the limit has moved or the session has ended.
      }
      enforceLimits()
    }
    keep(task, whileStoreStands: true) { state, timers in
      // Of two threads at once, the one with the newer limits wins.
      guard state.session === session else { return false }
      timers.limit = (session, task)
      return true
    }
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

/// A step with a time limit, and what to report when it exceeds the limit.
private enum LimitedStep: Sendable {
  case logout(LoggingOut.Progress)
  case answer

  /// The step that the state is in; nil when it is another one, or has no time limit.
  init?(_ state: SessionState, _ epoch: Epoch) {
    guard state.stepUnderTimeLimit == epoch else { return nil }
    switch state {
    case .loggingOut(let state): self = .logout(state.step)
    case .renewing: self = .answer
    case .restoring, .loggedOut, .authenticating, .loggedIn: return nil
    }
  }

  func limit(_ timing: SessionTiming) -> Duration {
    switch self {
    case .logout: timing.logoutStep
    case .answer: timing.renewalStep
    }
  }

  /// The error for the callers that await the work.
  func failure(_ limit: Duration) -> SessionError? {
    switch self {
    case .logout: nil
    case .answer: .unavailable(Unavailability(.busy, "No answer came within \(limit)."))
    }
  }

  /// The causes in the result of a logout.
  func causes(_ limit: Duration) -> [String] {
    switch self {
    case .logout(.draining): ["work under a lease did not end within \(limit)"]
    case .logout(.revoking): ["the authority did not answer a revocation within \(limit)"]
    case .logout(.erasing): ["the vault did not forget the session within \(limit)"]
    case .answer: []
    }
  }
}
